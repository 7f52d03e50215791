#!/usr/bin/env bash
# Kills a training run by SIGKILL again and again, resumes it with 1, 2 and 3 threads in turn, and
# compares every file of its checkpoints and its metrics.jsonl, bit for bit, with an undisturbed run.
#   scripts/kill_resume_test.sh [--ssmctl FILE] [--kills N] [--each M] [--seed S]
#     --ssmctl  the program (default build/release/ssmctl)
#     --kills   how often to kill (default 100): M times at every crash point of training and of
#               the checkpoint commit (the last point passed is known then), the rest at random
#     --each    kills at every crash point (default 5)
#     --seed    of the random moments (default: the time); printed, so a failure can be run again
# Prints how many kills landed where. Exit 1 when a bit differs or a place was hit too rarely.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

ssmctl=build/release/ssmctl
kills=100
each=5
seed=$(date +%s)
while (($# > 0)); do
  case $1 in
    --ssmctl) ssmctl=$2 ;;
    --kills) kills=$2 ;;
    --each) each=$2 ;;
    --seed) seed=$2 ;;
    *)
      sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      [[ $1 == --help || $1 == -h ]] && exit 0
      exit 64
      ;;
  esac
  shift 2 || exit 64
done

points=(draw forward backward update validate metrics_append checkpoint_open checkpoint_write
  checkpoint_fsync checkpoint_rename checkpoint_pointer checkpoint_remove)
if ((kills < each * ${#points[@]})); then
  echo "--kills must be at least --each times ${#points[@]}" >&2
  exit 64
fi

RANDOM=$((seed % 32768))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
config=$work/config.json
cat > "$config" << 'JSON'
{"name": "killed", "seed": 5,
 "task": {"type": "evidence.track", "steps": 48, "tau": 10, "noise": 1},
 "model": {"d_model": 16, "layers": 2, "block": {"mixer": {"type": "s4d", "d_state": 8}}},
 "train": {"steps": 120, "batch": 16, "accumulate": 2, "warmup": 10, "checkpoint_every": 6,
           "eval_every": 12, "eval_examples": 64, "keep": 2, "log_norms": 10}}
JSON

# train RUN THREADS: until the end or until something kills it; the exit code says which.
train() {
  local code=0
  rm -f "$work/phase"
  SSM_TEST_PHASE=$work/phase "$ssmctl" train "$config" --out "$1" --resume --threads "$2" --quiet \
    > "$work/out" 2> "$work/err" || code=$?
  return "$code"
}

# The point the killed process had passed last: a letter, then the names, one a line.
phase() {
  if [[ -s $work/phase ]]; then
    sed -n "$(($(printf '%d' "'$(head -c 1 "$work/phase")") - 95))p" "$work/phase"
  else
    echo setup
  fi
}

complain() {
  echo "FAILED (--seed $seed): $1" >&2
  cat "$work/err" >&2
  exit 1
}

started=$(date +%s%N)
train "$work/whole" 2 || complain "the undisturbed run ended with $?"
span=$((($(date +%s%N) - started) / 1000000))

# What a killed run may not differ in: metrics, pointers, and every file of the checkpoints kept.
compare() {
  cmp "$work/whole/metrics.jsonl" "$1/metrics.jsonl" || complain "metrics.jsonl differs"
  diff -r "$work/whole/checkpoints" "$1/checkpoints" || complain "a checkpoint differs"
}

declare -A at_point at_random
killed=0
compared=0
threads=0
run_number=0
run=$work/run-0

# Counts a kill, or compares a run that came to its end first and starts another.
settle() {
  local code=$1 place=$2 kind=$3
  if ((code == 137)); then
    killed=$((killed + 1))
    if [[ $kind == point ]]; then
      at_point[$place]=$((${at_point[$place]:-0} + 1))
    else
      at_random[$place]=$((${at_random[$place]:-0} + 1))
    fi
  elif ((code == 0)); then
    compare "$run"
    compared=$((compared + 1))
    rm -rf "$run"
    run_number=$((run_number + 1))
    run=$work/run-$run_number
  else
    complain "a resumed run ended with $code"
  fi
}

next_threads() { threads=$((threads % 3 + 1)); }

kill_at_point() {
  local point=$1 code=0
  next_threads
  export SSM_TEST_CRASH=$point:$((RANDOM % $2 + 1))
  (train "$run" "$threads") 2> /dev/null || code=$?
  unset SSM_TEST_CRASH
  settle "$code" "$point" point
}

kill_at_random() {
  local code=0 wait_ms=$((RANDOM * span / 32768))
  next_threads
  rm -f "$work/phase"
  (
    SSM_TEST_PHASE=$work/phase "$ssmctl" train "$config" --out "$run" --resume \
      --threads "$threads" --quiet > "$work/out" 2> "$work/err" &
    pid=$!
    sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
    kill -KILL "$pid"
    wait "$pid"
  ) 2> /dev/null || code=$?
  settle "$code" "$(phase)" random
}

# How many passages a process makes at most before the crash is due: points that are passed often
# are struck anywhere within several steps.
declare -A within=([draw]=24 [forward]=96 [backward]=96 [update]=12 [validate]=2
  [metrics_append]=14 [checkpoint_open]=3 [checkpoint_write]=12 [checkpoint_fsync]=12
  [checkpoint_rename]=3 [checkpoint_pointer]=3 [checkpoint_remove]=4)

# Forced kills in turn, the random ones spread evenly between them.
forced_kills=$((each * ${#points[@]}))
for ((i = 0; i < kills; ++i)); do
  turn=$((i * forced_kills / kills))
  goal=$((killed + 1))
  while ((killed < goal)); do
    if (((i + 1) * forced_kills / kills > turn)); then
      point=${points[turn % ${#points[@]}]}
      kill_at_point "$point" "${within[$point]}"
    else
      kill_at_random
    fi
  done
done

# Whatever is left of the last run goes undisturbed to its end.
next_threads
train "$run" "$threads" || complain "the last resume ended with $?"
compare "$run"
compared=$((compared + 1))

printf '%-20s %8s %8s\n' 'last point passed' forced random
for place in setup start "${points[@]}"; do
  forced=${at_point[$place]:-0}
  random=${at_random[$place]:-0}
  printf '%-20s %8d %8d  %s\n' "$place" "$forced" "$random" \
    "$(printf '%*s' $((forced + random)) '' | tr ' ' '#')"
done
echo "$killed kills, $compared runs, every bit of checkpoints and metrics as in the undisturbed run" \
  "(--seed $seed)"
