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
# Run again, it skips what is finished (by the config hash) and continues what was cut off. A run
# that fails is told at once and does not stop the others. Ctrl-C or SIGTERM lets the trainings save
# and stops; a second one ends them at once. Other machines take the lines of --dry-run:
#   scripts/sweep.sh --dry-run ... | xargs -d '\n' -P 4 -n 1 sh -c
#   sed -n "${SLURM_ARRAY_TASK_ID}p" lines | sh
# Exit codes: 0 every run is finished or in another process's hands, 1 some failed, 64 wrong usage,
# 69 no ssmctl, 75 some were stopped from outside; it dies of the signal that stopped it (130, 143).
set -euo pipefail
shopt -s extglob
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

readonly longest_name=100 hash_prefix=8 # ssmctl takes names of so many characters

say() { printf '%s\n' "$*" >&2; }

usage_error() {
  say "sweep.sh: $*; see scripts/sweep.sh --help"
  exit 64
}

# --- What is asked -----------------------------------------------------------------------------

jobs=1
out=runs/sweep
threads=
dry_run=false
configs=()
keys=()      # of training, in their order
eval_keys=() # eval.*
declare -A values_of=()

# split_values TEXT: fills `values` with the pieces between commas outside brackets and quotes.
# Fails when a bracket or quote stays open, or a piece is empty.
split_values() {
  local text=$1 depth=0 in_quotes=false piece='' i c
  values=()
  for ((i = 0; i < ${#text}; ++i)); do
    c=${text:i:1}
    if [[ $c == , && $depth -eq 0 ]] && ! $in_quotes; then
      [[ -n $piece ]] || return 1
      values+=("$piece")
      piece=
      continue
    fi
    case $in_quotes$c in
      true\\) piece+=$c c=${text:++i:1} ;;
      true\") in_quotes=false ;;
      false\") in_quotes=true ;;
      false[[\{]) depth=$((depth + 1)) ;;
      false[]\}]) depth=$((depth - 1)) ;;
    esac
    piece+=$c
  done
  values+=("$piece")
  [[ -n $piece && $depth -eq 0 ]] && ! $in_quotes
}

add_values() {
  local key=${1%%=*} text=${1#*=}
  local -a values
  [[ -n $key ]] || usage_error "\"$1\" has no key before \"=\""
  [[ $key != name ]] || usage_error "name cannot be set, because the sweep names its runs"
  [[ -z ${values_of[$key]+set} ]] || usage_error "$key is given twice; write $key=V1,V2"
  split_values "$text" || usage_error "\"$1\" has an empty value or an open bracket or quote"
  values_of[$key]=$(printf '%s\n' "${values[@]}")
  if [[ $key == eval.* ]]; then eval_keys+=("$key"); else keys+=("$key"); fi
}

add_word() {
  [[ $1 != *$'\n'* ]] || usage_error "an argument holds a line break, which no command line can"
  if [[ $1 == *=* && ! -e $1 ]]; then
    add_values "$1"
  elif [[ $1 == -* ]]; then
    configs+=("./$1")
  else
    configs+=("$1")
  fi
}

# add_option FLAG VALUE
add_option() {
  case $1 in
    -j | --threads)
      [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || usage_error "$1 takes a number from 1 to 9999, not \"$2\""
      if [[ $1 == -j ]]; then jobs=$2; else threads=$2; fi
      ;;
    --out)
      [[ -n $2 && $2 != *$'\n'* ]] || usage_error "--out takes a path of one line"
      out=${2%%+(/)}
      [[ $out != -* ]] || out=./$out
      ;;
    --seeds)
      [[ $2 =~ ^[0-9]+(,[0-9]+)*$ ]] || usage_error "--seeds takes numbers, as 1,2,3, not \"$2\""
      add_values "seed=$2"
      ;;
  esac
}

print_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

read_arguments() {
  while (($# > 0)); do
    case $1 in
      -h | --help) print_help && exit 0 ;;
      --dry-run) dry_run=true ;;
      -j | --out | --seeds | --threads)
        (($# > 1)) || usage_error "$1 needs a value"
        add_option "$1" "$2"
        shift
        ;;
      -j?*) add_option -j "${1#-j}" ;;
      --out=* | --seeds=* | --threads=*) add_option "${1%%=*}" "${1#*=}" ;;
      --)
        shift
        while (($# > 0)); do add_word "$1" && shift; done
        break
        ;;
      -*) usage_error "there is no option $1 (a file of that name goes after --)" ;;
      *) add_word "$1" ;;
    esac
    shift
  done
  ((${#configs[@]} > 0)) || usage_error "no config is given"
}

find_ssmctl() {
  if [[ -n ${SSMCTL:-} ]]; then
    ssmctl=$(command -v -- "$SSMCTL") || ssmctl=
  else
    ssmctl=$(command -v ssmctl || command -v "$here/build/release/ssmctl") || ssmctl=
  fi
  if [[ -z $ssmctl ]]; then
    say "sweep.sh: ${SSMCTL:-ssmctl} is no program; build it (cmake --preset release &&" \
      "cmake --build --preset release), or name it by SSMCTL"
    exit 69
  fi
}

# Flags of every ssmctl command.
set_flags() {
  flags=(--quiet)
  if [[ -z $threads && $jobs -gt 1 && -z ${SSMCTL_THREADS:-} ]]; then
    threads=$((${SLURM_CPUS_PER_TASK:-$(nproc)} / jobs))
    ((threads > 0)) || threads=1
  fi
  [[ -z $threads ]] || flags+=(--threads "$threads")
}

# --- The runs ----------------------------------------------------------------------------------

run_config=()
run_words=() # KEY=VALUE, one a line
run_name=()
run_hash=()  # empty when ssmctl refuses the config
run_fault=() # why it does
run_state=() # '', ok, skipped, failed, stopped, held
evaluations=() # KEY=VALUE of eval.*, one a line; at least one entry

# cross KEY...: fills `combinations` with every choice of values, KEY=VALUE one a line.
cross() {
  local key combination value
  local -a longer
  combinations=('')
  for key in "$@"; do
    longer=()
    for combination in "${combinations[@]}"; do
      while IFS= read -r value; do
        longer+=("$combination$key=$value"$'\n')
      done <<< "${values_of[$key]}"
    done
    combinations=("${longer[@]}")
  done
}

# lines TEXT: fills `words` with its lines.
lines() {
  words=()
  [[ -z $1 ]] || mapfile -t words <<< "${1%$'\n'}"
}

# name_run CONFIG HASH: from `words`, a name that ssmctl takes for an experiment.
name_run() {
  local text=${1##*/} word key
  text=${text%.json}
  for word in "${words[@]}"; do
    key=${word%%=*}
    text+=-${key##*.}_${word#*=}
  done
  text=${text//+([^A-Za-z0-9._-])/_}
  text=${text/#[.-]/_}
  text=${text:0:longest_name - hash_prefix - 1}
  name=$text${2:+-${2:0:hash_prefix}}
}

# add_run CONFIG WORDS: unless it is there already.
add_run() {
  local answer hash='' fault='' name
  local -a words
  lines "$2"
  if answer=$("$ssmctl" train "$1" "${words[@]}" --hash --quiet 2>&1); then
    hash=${answer##*$'\n'}
  else
    fault=${answer:-ssmctl ended with $?}
  fi
  [[ -z $stopped_by ]] || return 0
  name_run "$1" "$hash"
  local key="$1"$'\n'"${hash:-$2}"
  local same=${known[$key]:-${known[$name]:-}}
  if [[ -n $same && -n $hash ]]; then
    say "$name is the same experiment as $same: it runs once"
    return
  fi
  known[$key]=$name
  known[$name]=$name
  run_config+=("$1")
  run_words+=("$2")
  run_name+=("$name")
  run_hash+=("$hash")
  run_fault+=("$fault")
  run_state+=('')
}

collect_runs() {
  local config combination
  local -a combinations
  local -A known=()
  cross "${eval_keys[@]}"
  evaluations=("${combinations[@]}")
  cross "${keys[@]}"
  for config in "${configs[@]}"; do
    for combination in "${combinations[@]}"; do
      add_run "$config" "$combination"
      [[ -z $stopped_by ]] || return 0
    done
  done
}

# train_command INDEX, eval_command INDEX WORDS: fill `command`.
train_command() {
  local -a words
  lines "${run_words[$1]}"
  command=("$ssmctl" train "${run_config[$1]}" "${words[@]}" "name=${run_name[$1]}"
    --out "$out/${run_name[$1]}" --resume "${flags[@]}")
}

eval_command() {
  local -a words
  lines "$2"
  command=("$ssmctl" eval "$out/${run_name[$1]}" "${words[@]}" "${flags[@]}")
}

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
stopped_by=            # the signal that stopped the sweep

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

# field NAME FILE: text of a member of a JSON file as ssmctl writes it.
field() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" "$2"; }

# finished INDEX: whether its folder holds the whole training of its config.
finished() {
  local run=$out/${run_name[$1]} latest
  [[ -f $run/status.json && -f $run/checkpoints/LATEST ]] || return 1
  [[ $(field state "$run/status.json") == finished ]] || return 1
  latest=$run/checkpoints/$(< "$run/checkpoints/LATEST")/state.json
  [[ -f $latest && $(field config_hash "$latest") == "${run_hash[$1]}" ]]
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
  local -a command
  started[$1]=$SECONDS
  if finished "$1"; then
    skips_training[$1]=true
    start_evaluation "$1" 0
    return
  fi
  say "[$(($1 + 1))/${#run_name[@]}] start ${run_name[$1]}"
  train_command "$1"
  launch "$1" train
}

# start_evaluation INDEX NUMBER
start_evaluation() {
  local -a command
  if (($2 < ${#evaluations[@]})); then
    eval_command "$1" "${evaluations[$2]}"
    launch "$1" "$2"
  elif [[ -n ${skips_training[$1]:-} ]]; then
    settle "$1" skipped ' (finished)'
  else
    settle "$1" ok "  $((SECONDS - started[$1])) s"
  fi
}

# ended INDEX STAGE CODE WORDS: what follows the end of a process that wrote these words.
ended() {
  if [[ -n $stopped_by && $3 != 0 ]] || [[ $2 == train && $3 == 75 ]]; then
    settle "$1" stopped ' (run the sweep again to continue)'
  elif [[ $3 == 0 && $2 == train ]]; then
    next_evaluation "$1" 0
  elif [[ $3 == 0 ]]; then
    next_evaluation "$1" $(($2 + 1))
  elif held_by_another "$3" "$4"; then
    settle "$1" held ' (another process trains it; left to that)'
  else
    settle "$1" failed ": exit code $3: ${4##*$'\n'} (log: $(log_of "$1"))"
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
  say "${#run_name[@]} runs: ${text:2}"
}

print_table() {
  local index
  local -a runs=()
  for index in "${!run_name[@]}"; do
    case ${run_state[index]} in ok | skipped) runs+=("$out/${run_name[index]}") ;; esac
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
    mkdir -p "$out/.logs"
    run_all
  fi
  count_states
  if ! $dry_run; then
    summarise
    die_if_stopped
    print_table
  fi
  ((${count[failed]:-0} == 0)) || exit 1
  ((${count[stopped]:-0} == 0)) || exit 75
}

main "$@"
