#!/usr/bin/env bash
# Trains and evaluates every combination of configs, values and seeds, then prints one table.
#   scripts/sweep.sh [options] CONFIG.json... [KEY=V1,V2,...]...
#     -j N           runs at a time (default 1); each gets an Nth of the CPUs, unless SSMCTL_THREADS
#                    or --threads says how many
#     --out DIR      where the run folders go (default runs/sweep)
#     --seeds 1,2,3  the same as seed=1,2,3: each number sets seed.init, seed.data and seed.eval
#     --threads T    threads of each run
#     --dry-run      prints the command of each run, one a line, quoted for sh, and runs none
# Values are parted at commas outside brackets and quotes: 'eval.lengths=[64,128],[256]'. Values of
# eval.* train nothing anew: each run is evaluated with all of them. ssmctl is $SSMCTL, that of the
# PATH, or build/release/ssmctl.
# Run again, it skips what is finished (by the config hash), continues what was cut off, and
# evaluates what another "eval" section of the configs asks, without training for it. A run that
# fails is told at once and does not stop the others. Ctrl-C or SIGTERM lets the trainings save
# and stops; a second one ends them at once. Other machines take the lines of --dry-run:
#   scripts/sweep.sh --dry-run -j 4 ... | xargs -d '\n' -P 4 -n 1 sh -c
#   sed -n "${SLURM_ARRAY_TASK_ID}p" lines | sh
# Exit codes: 0 every run is finished or in another process's hands, 1 some failed, 64 wrong usage,
# 69 no ssmctl, 73 DIR cannot be made, 75 some were stopped from outside; it dies of the signal that
# stopped it (130, 143).
set -euo pipefail
shopt -s extglob
# shellcheck source=sweep_plan.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/sweep_plan.sh"

# --- Printing them -----------------------------------------------------------------------------

# quoted WORD...: prints them so that a POSIX shell reads the same words.
quoted() {
  local word line='' quote="'\\''"
  for word in "$@"; do
    if [[ -z $word || $word == *[^A-Za-z0-9_./=:,+@%-]* ]]; then
      word="'${word//"'"/"$quote"}'"
    fi
    line+=" $word"
  done
  printf '%s' "${line:1}"
}

print_commands() {
  local index evaluation
  local -a command
  for index in "${!run_name[@]}"; do
    [[ -n ${run_hash[index]} ]] || continue
    train_command "$index"
    quoted "${command[@]}"
    for evaluation in "${evaluations[@]}"; do
      eval_command "$index" "$evaluation"
      printf ' && %s' "$(quoted "${command[@]}")"
    done
    echo
  done
}

# --- Running them ------------------------------------------------------------------------------

declare -A index_of=() # by process: which run,
declare -A stage_of=() # what it does there: train, or the number of its evaluation,
declare -A said_of=()  # and how many bytes its log had before
started=()             # by run: SECONDS
skips_training=()      # by run: it was finished before
failed_evaluations=()  # by run: how many

# on_signal NAME: children of a script ignore SIGINT; SIGTERM lets them save.
on_signal() {
  local signal=TERM
  [[ -z $stopped_by ]] || signal=KILL
  ((${#index_of[@]} == 0)) || kill -s "$signal" "${!index_of[@]}" 2> /dev/null || true
  [[ -z $stopped_by ]] || return 0
  stopped_by=$1
  say "stopping on SIG$1: ${#index_of[@]} runs are saving (once more ends them at once)"
}

log_of() { printf '%s/.logs/%s.txt' "$out" "${run_name[$1]}"; }

# finished INDEX: whether its folder holds the whole training of its config.
finished() {
  local run=$out/${run_name[$1]} latest
  [[ -f $run/status.json && -f $run/checkpoints/LATEST ]] || return 1
  [[ $(field state < "$run/status.json") == finished ]] || return 1
  latest=$run/checkpoints/$(< "$run/checkpoints/LATEST")/state.json
  [[ -f $latest && $(field config_hash < "$latest") == "${run_hash[$1]}" ]]
}

# held_by_another CODE WORDS: whether ssmctl refused to train because another process does.
held_by_another() {
  [[ $1 == 71 && $2 == *'is training in'* ]] ||
    [[ $1 == 73 && $2 == *'exists, and training never overwrites'* ]]
}

# settle INDEX STATE TEXT: notes how a run ended, and says so.
settle() {
  run_state[$1]=$2
  say "[$(($1 + 1))/${#run_name[@]}] $2 ${run_name[$1]}$3"
}

# launch INDEX STAGE: starts `command`.
launch() {
  local log size
  log=$(log_of "$1")
  touch -- "$log"
  size=$(stat -c %s -- "$log")
  "${command[@]}" >> "$log" 2>&1 &
  index_of[$!]=$1
  stage_of[$!]=$2
  said_of[$!]=$size
  # The signal may have come before this process was noted.
  [[ -z $stopped_by ]] || kill -s TERM "$!" 2> /dev/null || true
}

start_run() {
  local verb=start
  local -a command
  started[$1]=$SECONDS
  if finished "$1"; then
    skips_training[$1]=true
    start_evaluation "$1" 0
    return
  fi
  [[ ! -e $out/${run_name[$1]} ]] || verb='continue'
  say "[$(($1 + 1))/${#run_name[@]}] $verb ${run_name[$1]}"
  train_command "$1"
  launch "$1" train
}

# start_evaluation INDEX NUMBER
start_evaluation() {
  local -a command
  if (($2 < ${#evaluations[@]})); then
    eval_command "$1" "${evaluations[$2]}"
    launch "$1" "$2"
  elif [[ -n ${failed_evaluations[$1]:-} ]]; then
    settle "$1" failed ": ${failed_evaluations[$1]} of ${#evaluations[@]} evaluations"
  elif [[ -n ${skips_training[$1]:-} ]]; then
    settle "$1" skipped ' (finished)'
  else
    settle "$1" ok "  $((SECONDS - started[$1])) s"
  fi
}

# reason CODE WORDS: prints how a process ended that wrote these words.
reason() {
  local line
  if (($1 > 128)); then
    printf 'ended by SIG%s' "$(kill -l "$1")"
  else
    line=$(grep '^error: ' <<< "$2" | tail -n 1) || true
    printf 'exit code %d, %s' "$1" "${line:-${2##*$'\n'}}"
  fi
}

# ended INDEX STAGE CODE WORDS: what follows the end of a process that wrote these words.
ended() {
  local words
  if [[ -n $stopped_by && $3 != 0 ]] || [[ $2 == train && $3 == 75 ]]; then
    settle "$1" stopped ' (run the sweep again to continue)'
  elif [[ $3 == 0 && $2 == train ]]; then
    next_evaluation "$1" 0
  elif [[ $3 == 0 ]]; then
    next_evaluation "$1" $(($2 + 1))
  elif held_by_another "$3" "$4"; then
    settle "$1" held ' (another process trains it; left to that)'
  elif [[ $2 == train ]] || ((${#evaluations[@]} == 1)); then
    settle "$1" failed ": $(reason "$3" "$4") (log: $(log_of "$1"))"
  else
    failed_evaluations[$1]=$((${failed_evaluations[$1]:-0} + 1))
    words=${evaluations[$2]//$'\n'/ }
    say "[$(($1 + 1))/${#run_name[@]}] failed at ${words% } in" \
      "${run_name[$1]}: $(reason "$3" "$4") (log: $(log_of "$1"))"
    next_evaluation "$1" $(($2 + 1))
  fi
}

# next_evaluation INDEX NUMBER: a sweep that was stopped starts none.
next_evaluation() {
  if [[ -n $stopped_by && $2 -lt ${#evaluations[@]} ]]; then
    settle "$1" stopped ' before its evaluation (run the sweep again to continue)'
  else
    start_evaluation "$1" "$2"
  fi
}

# Waits until a process ends, or for a signal.
reap() {
  local pid='' code=0 index stage words
  wait -n -p pid "${!index_of[@]}" || code=$?
  [[ -n ${pid:-} ]] || return 0
  index=${index_of[$pid]}
  stage=${stage_of[$pid]}
  words=$(tail -c "+$((said_of[$pid] + 1))" -- "$(log_of "$index")")
  unset "index_of[$pid]" "stage_of[$pid]" "said_of[$pid]"
  ended "$index" "$stage" "$code" "$words"
}

run_all() {
  local index
  for index in "${!run_name[@]}"; do
    [[ -n ${run_hash[index]} ]] || continue
    while ((${#index_of[@]} >= jobs)); do reap; done
    [[ -z $stopped_by ]] || break
    start_run "$index"
  done
  while ((${#index_of[@]} > 0)); do reap; done
}

# --- The end -----------------------------------------------------------------------------------

# The faults that ssmctl finds in configs, before anything is trained.
tell_faults() {
  local index
  for index in "${!run_name[@]}"; do
    [[ -n ${run_hash[index]} ]] || settle "$index" failed ": ${run_fault[index]}"
  done
}

# count_states: fills `count` by state.
count_states() {
  local state
  for state in "${run_state[@]}"; do
    count[${state:-left}]=$((${count[${state:-left}]:-0} + 1))
  done
}

summarise() {
  local state text=''
  for state in ok skipped held stopped failed left; do
    [[ -z ${count[$state]:-} ]] || text+=", ${count[$state]} $state"
  done
  say "sweep: ${text:2}"
}

# Of a run that failed, what was evaluated is told too.
has_results() {
  compgen -G "$out/${run_name[$1]}/results/*.json" > /dev/null
}

print_table() {
  local index
  local -a runs=()
  for index in "${!run_name[@]}"; do
    case ${run_state[index]} in
      ok | skipped) runs+=("$out/${run_name[index]}") ;;
      failed) ! has_results "$index" || runs+=("$out/${run_name[index]}") ;;
    esac
  done
  ((${#runs[@]} == 0)) || "$ssmctl" table "${runs[@]}"
}

# A shell loop around this script stops when the script dies of the signal itself.
die_if_stopped() {
  [[ -n $stopped_by ]] || return 0
  trap - "$stopped_by"
  kill -s "$stopped_by" $$
}

main() {
  local -a command flags
  local -A count=()
  local ssmctl signal
  read_arguments "$@"
  find_ssmctl
  set_flags
  for signal in INT TERM HUP QUIT; do
    # shellcheck disable=SC2064  # the name as it is now
    trap "on_signal $signal" "$signal"
  done
  collect_runs
  die_if_stopped
  tell_faults
  if $dry_run; then
    print_commands
  else
    mkdir -p "$out/.logs" || exit 73
    run_all
  fi
  count_states
  $dry_run || summarise
  die_if_stopped
  trap - INT TERM HUP QUIT
  $dry_run || print_table
  ((${count[failed]:-0} == 0)) || exit 1
  ((${count[stopped]:-0} == 0)) || exit 75
}

main "$@"
