# The words after scripts/sweep.sh, turned into runs and what each of them calls; sourced by it.
# shellcheck shell=bash disable=SC2034  # the other file reads what this one sets

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly here longest_name=100 hash_prefix=8 # ssmctl takes names of so many characters

say() { printf '%s\n' "$*" >&2; }

usage_error() {
  say "sweep.sh: $*; see scripts/sweep.sh --help"
  exit 64
}

# --- What is asked -----------------------------------------------------------------------------

stopped_by= # the signal that stopped the sweep
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
  case $key in
    eval.*) eval_keys+=("$key") ;;
    seed) ;; # comes last, see read_arguments
    *) keys+=("$key") ;;
  esac
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

print_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$here/scripts/sweep.sh"; }

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
  [[ -z ${values_of[seed]+set} ]] || keys+=(seed)
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
run_eval=()  # KEY=VALUE of the config's section eval, one a line
run_fault=() # why it does
run_state=() # '', ok, skipped, failed, stopped, held
evaluations=() # KEY=VALUE of eval.*, one a line; at least one entry

# cross KEY...: fills `combinations` with every choice of values, KEY=VALUE one a line; seed=N comes
# first there, so that seed.eval=M still counts.
cross() {
  local key combination value
  local -a longer
  combinations=('')
  for key in "$@"; do
    longer=()
    for combination in "${combinations[@]}"; do
      while IFS= read -r value; do
        if [[ $key == seed ]]; then
          longer+=("seed=$value"$'\n'"$combination")
        else
          longer+=("$combination$key=$value"$'\n')
        fi
      done <<< "${values_of[$key]}"
    done
    combinations=("${longer[@]}")
  done
}

# field NAME: text of a member of the JSON on standard input, as ssmctl writes it.
field() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p"; }

# lines TEXT: fills `words` with its lines.
lines() {
  words=()
  [[ -z $1 ]] || mapfile -t words <<< "${1%$'\n'}"
}

# plain_name TEXT: prints it as ssmctl takes it for the name of an experiment.
plain_name() {
  local text=${1//+([^A-Za-z0-9._-])/_}
  printf '%s' "${text/#[.-]/_}"
}

# name_run CONFIG HASH: fills `name` from both and `words`. An experiment that has a folder already
# keeps it, however its values were spelt then.
name_run() {
  local base=${1##*/} text='' seed='' word key end=${2:+-${2:0:hash_prefix}}
  local -a there
  base=$(plain_name "${base%.json}")
  for word in "${words[@]}"; do
    key=${word%%=*}
    if [[ $key == seed ]]; then seed=-seed_${word#*=}; else text+=-${key##*.}_${word#*=}; fi
  done
  name=$(plain_name "$base$text$seed")
  name=${name:0:longest_name - hash_prefix - 1}$end
  there=("$out/$base"?(-*)"$end"/)
  [[ -z $end || ! -d ${there[0]} ]] || name=$(basename "${there[0]}")
}

# add_run CONFIG WORDS: unless it is there already.
add_run() {
  local answer hash='' fault='' eval='' name
  local -a words
  lines "$2"
  if answer=$("$ssmctl" train "$1" "${words[@]}" --hash --json --quiet 2>&1); then
    hash=$(field config_hash <<< "$answer")
    eval=$(sed -n 's/^ *"\(eval\.[^"]*\)",\{0,1\}$/\1/p' <<< "$answer")
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
  run_eval+=("$eval")
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

# A run that is there already was made with a section eval that may be another now.
eval_command() {
  local -a words
  local asked=$2
  [[ ! -e $out/${run_name[$1]} || -z ${run_eval[$1]} ]] || asked=${run_eval[$1]}$'\n'$2
  lines "$asked"
  command=("$ssmctl" eval "$out/${run_name[$1]}" "${words[@]}" "${flags[@]}")
}
