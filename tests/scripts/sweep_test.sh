#!/usr/bin/env bash
# Sweeps over tiny experiments: what runs, what is skipped, what fails, what a signal leaves.
#   tests/scripts/sweep_test.sh SSMCTL [CASE...]
# Prints the name of each case that holds; exit 1 at the first that does not.
set -euo pipefail

SSMCTL=$(realpath "$1")
cases=("${@:2}")
export SSMCTL SHELL=/bin/sh
sweep=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/sweep.sh
work=$(mktemp -d)
cd "$work"

# What a failed case left running saves and stops.
clean_up() {
  mapfile -t left < <(jobs -p)
  ((${#left[@]} == 0)) || kill "${left[@]}" 2> /dev/null || true
  wait
  rm -rf "$work"
}
trap clean_up EXIT

complain() {
  printf 'FAILED in %s: %s\n' "$current" "$*" >&2
  for file in out err; do
    [[ ! -e $file ]] || sed "s/^/  $file: /" "$file" >&2
  done
  exit 1
}

# expect WORD...: the command must succeed.
expect() { "$@" || complain "$*"; }
expect_equal() { [[ $1 == "$2" ]] || complain "found \"$1\" instead of \"$2\""; }
expect_in() { grep -qF -- "$1" "$2" || complain "$2 lacks \"$1\""; }

# write_config FILE STEPS [CHECKPOINT_EVERY]
write_config() {
  cat > "$1" << JSON
{"seed": 3, "task": {"type": "evidence.track", "tau": 5, "noise": 1, "steps": 32},
 "model": {"d_model": 4, "layers": 1, "block": {"mixer": {"type": "s4d", "d_state": 4}}},
 "train": {"steps": $2, "batch": 4, "warmup": 2, "eval_every": 0, "checkpoint_every": ${3:-4}, "keep": 1},
 "eval": {"examples": 16, "lengths": [16]}}
JSON
}

# run_sweep CODE ARGUMENT...: must end with that code; leaves `out` and `err`.
run_sweep() {
  local wanted=$1 code=0
  shift
  "$sweep" "$@" > out 2> err || code=$?
  expect_equal "$code" "$wanted"
}

# folders DIRECTORY: how many runs it holds.
folders() { find "$1" -mindepth 1 -maxdepth 1 -type d ! -name '.*' | wc -l; }
rows() { grep -c evidence.track out; }

# same_training A B: every file of checkpoints, and the metrics, by the bit, for every run.
same_training() {
  local run
  expect_equal "$(folders "$2")" "$(folders "$1")"
  for run in "$1"/*/; do
    run=$(basename "$run")
    expect diff -r "$1/$run/checkpoints" "$2/$run/checkpoints"
    expect cmp "$1/$run/metrics.jsonl" "$2/$run/metrics.jsonl"
  done
}

# wait_for FILE PID: until the file holds something; the process must live that long.
wait_for() {
  until [[ -s $1 ]]; do
    kill -0 "$2" 2> /dev/null || complain "it ended before $1 was there"
    sleep 0.01
  done
}

# wait_for_run PATTERN PID: until a run of that name has a checkpoint.
wait_for_run() {
  until compgen -G "$1/checkpoints/LATEST" > /dev/null; do
    kill -0 "$2" 2> /dev/null || complain "it ended before a checkpoint of $1 was there"
    sleep 0.01
  done
}

# in_terminal FILE: runs it by bash in a terminal of its own, whose keys come from file descriptor
# 8; its process is $terminal. A script's background jobs ignore SIGINT, and a terminal's do not.
in_terminal() {
  rm -f keys
  mkfifo keys
  exec 8<> keys
  env --default-signal=INT,QUIT script -qec "exec $2 $1" screen < keys > out 2> err &
  terminal=$!
}

press_ctrl_c() { printf '\003' >&8; }

# Every combination runs once and has its row; a second sweep skips it.
grid_case() {
  run_sweep 0 track.json train.lr=0.001,0.002 --seeds 1,2 --out grid
  expect_equal "$(folders grid)" 4
  expect_equal "$(rows)" 4
  expect_equal "$(grep -c '^\[[1-4]/4\] start ' err)" 4
  expect_equal "$(grep -c '^\[[1-4]/4\] ok ' err)" 4
  expect_in '4 runs: 4 ok' err
  expect test -e grid/track-lr_0.002-seed_1-*/results/test-forward-T16-n16.json
  expect_in '"init": 2' grid/track-lr_0.001-seed_2-*/config.json
  skip_of_grid
}

# What is finished stays; what is new is added.
skip_of_grid() {
  local run
  cp -a grid before
  run_sweep 0 track.json train.lr=0.001,0.002,0.003 --seeds 1,2 --out grid
  expect_in '6 runs: 2 ok, 4 skipped' err
  expect_equal "$(grep -c ' start track-lr_0.003-' err)" 2
  expect_equal "$(grep -c ' start ' err)" 2
  expect_equal "$(rows)" 6
  for run in before/*/; do expect diff -r "$run" "grid/$(basename "$run")"; done
  # Another experiment under the same file name is another run.
  write_config track.json 12
  run_sweep 0 track.json train.lr=0.001 --seeds 1 --out grid
  expect_in '1 runs: 1 ok' err
  expect_equal "$(folders grid)" 7
  write_config track.json 8
}

duplicate_case() {
  run_sweep 0 track.json track.json train.lr=0.001,1e-3 --seeds 1,1 --out duplicates
  expect_equal "$(folders duplicates)" 1
  expect_equal "$(rows)" 1
  expect_in 'is the same experiment as' err
}

# Lists keep their commas; values of eval.* are cells of one training.
list_case() {
  run_sweep 0 track.json 'eval.lengths=[16,48],[24]' eval.mode=forward,step --out lists \
    'model.block.mixer={"type":"s4d","d_state":4},{"type":"s4d","d_state":8}'
  expect_equal "$(folders lists)" 2
  expect_equal "$(rows)" 12
}

# A wrong config and a training that diverges are told, and the others run.
failure_case() {
  local line
  echo '{"task": {"type": "evidence.track"}, "modle": 1}' > wrong.json
  run_sweep 1 wrong.json track.json train.lr=0.001,1e30 train.clip=1e30 train.steps=40 \
    --out failures
  expect_in '[1/4] failed wrong-lr_0.001' err
  expect_in 'wrong.json:1:' err
  expect_in 'did you mean "model"?' err
  expect_in '4 runs: 1 ok, 3 failed' err
  line=$(grep 'failed track-lr_1e30' err)
  [[ $line =~ 'exit code 10: '.*'(log: '(.*)')' ]] || complain "$line"
  expect_in "$(sed 's/.*exit code 10: //; s/ (log: .*//' <<< "$line")" "${BASH_REMATCH[1]}"
  expect_equal "$(rows)" 1
}

# The printed lines, run by sh and through xargs, give what the sweep gives. Names with blanks,
# quotes and signs a shell reads are only names.
dry_run_case() {
  local folder="-it's \"a\" \$HOME \`b\` folder"
  mkdir "$work/$folder"
  cd "$work/$folder"
  write_config "a=b 'c' \"d\" \$e.json" 8
  write_config -n.json 8
  local arguments=(--seeds '1,2' --out "-o'ut \$x" 'model.block.norm="rms",none'
    'eval.lengths=[16],[24]' -- -n.json "a=b 'c' \"d\" \$e.json")
  run_sweep 0 --dry-run "${arguments[@]}"
  expect_equal "$(wc -l < out)" 8
  expect test ! -e "./-o'ut \$x"
  mv out lines
  run_sweep 0 "${arguments[@]}"
  expect_equal "$(folders "./-o'ut \$x")" 8
  mv -- "./-o'ut \$x" swept
  sh lines > out 2> err || complain "sh lines"
  same_training swept "./-o'ut \$x"
  mv -- "./-o'ut \$x" by_sh
  xargs -d '\n' -P 2 -n 1 sh -c < lines > out 2> err || complain "xargs < lines"
  same_training swept "./-o'ut \$x"
  expect diff -r swept by_sh --exclude=manifest.json --exclude='*.txt' --exclude=timing.jsonl \
    --exclude=.logs
  cd "$work"
}

threads_case() {
  run_sweep 0 --dry-run track.json
  expect test "$(grep -c -e --threads out)" = 0
  SLURM_CPUS_PER_TASK=6 run_sweep 0 --dry-run -j 2 track.json
  expect_in '--threads 3 ' out
  SLURM_CPUS_PER_TASK=6 run_sweep 0 --dry-run -j 9 track.json
  expect_in '--threads 1 ' out
  SSMCTL_THREADS=2 run_sweep 0 --dry-run -j 2 track.json
  expect test "$(grep -c -e --threads out)" = 0
  SSMCTL_THREADS=2 run_sweep 0 --dry-run -j2 --threads=5 track.json
  expect_in '--threads 5 ' out
}

usage_case() {
  local arguments
  while IFS='|' read -ra arguments; do
    run_sweep 64 "${arguments[@]}"
    expect_equal "$(wc -l < err)" 1
    expect test ! -s out
  done << 'LINES'
train.lr=0.1
track.json|--frobnicate
track.json|-j
track.json|-j|0
track.json|-j|two
track.json|--seeds|1,,2
track.json|train.lr=
track.json|train.lr=1,,2
track.json|eval.lengths=[1,2
track.json|name=mine
track.json|seed=1|--seeds|2
LINES
  SSMCTL=/nowhere run_sweep 69 track.json
  run_sweep 0 --help
  expect_in 'scripts/sweep.sh [options] CONFIG.json' out
}

# stop_and_resume HOW: stops a sweep of three runs, two at a time, while they train; the same
# command again ends with the bits of a sweep that nothing disturbed.
stop_and_resume() {
  local steps=600 arguments code
  while true; do
    rm -rf whole stopped
    write_config long.json "$steps" 20
    arguments=(long.json --seeds '1,2,3' -j 2 --threads 1 --out)
    "stop_by_$1" "${arguments[@]}" stopped
    # Trainings that were faster than the signal show nothing.
    if grep -q '"stopped"' stopped/*/status.json; then break; fi
    steps=$((steps * 2))
  done
  expect test ! -e stopped/long-seed_3-*
  expect_in 'runs are saving' out
  expect test -z "$(find stopped -name lease.json)"
  run_sweep 0 "${arguments[@]}" stopped
  expect test -n "$(grep -h 'continuing after step' stopped/*/log.txt)"
  run_sweep 0 "${arguments[@]}" whole
  same_training whole stopped
}

stop_by_sigterm() {
  local code=0 pid
  "$sweep" "$@" > out 2>&1 &
  pid=$!
  wait_for_run 'stopped/long-seed_1-*' "$pid"
  wait_for_run 'stopped/long-seed_2-*' "$pid"
  kill -TERM "$pid"
  wait "$pid" || code=$?
  expect_equal "$code" 143
}

stop_by_ctrl_c() {
  local code=0
  printf 'exec %q %s\n' "$sweep" "$*" > in_terminal.sh
  in_terminal in_terminal.sh bash
  wait_for_run 'stopped/long-seed_1-*' "$terminal"
  wait_for_run 'stopped/long-seed_2-*' "$terminal"
  press_ctrl_c
  wait "$terminal" || code=$?
  expect_equal "$code" 130
}

sigterm_case() { stop_and_resume sigterm; }
ctrl_c_case() { stop_and_resume ctrl_c; }

# One Ctrl-C ends a loop of a shell over ssmctl, and over the sweep.
loop_case() {
  local shell what code
  for shell in bash sh; do
    for what in "\"\$SSMCTL\" train endless.json -q --out loop/\$i" \
      "\"$sweep\" endless.json --out loop/\$i"; do
      rm -rf loop after
      code=0
      printf 'for i in 1 2 3; do %s; done\ntouch after\n' "$what" > loop.sh
      in_terminal loop.sh "$shell"
      if [[ $what == *train* ]]; then
        wait_for_run loop/1 "$terminal"
      else
        wait_for_run 'loop/1/endless-*' "$terminal"
      fi
      press_ctrl_c
      wait "$terminal" || code=$?
      expect_equal "$code" 130
      expect test ! -e loop/2
      expect test ! -e after
    done
  done
}

# What another sweep trains is left to it; together they train each run once.
together_case() {
  local first run code=0
  "$sweep" endless.json --out held > first.txt 2>&1 &
  first=$!
  wait_for_run 'held/endless-*' "$first"
  run_sweep 0 endless.json --out held
  expect_in '[1/1] held endless-' err
  expect_in '1 runs: 1 held' err
  kill -TERM "$first"
  wait "$first" || code=$?
  expect_equal "$code" 143

  "$sweep" track.json --seeds 1,2,3,4,5,6 --threads 1 --out both > first.txt 2>&1 &
  first=$!
  run_sweep 0 track.json --seeds 1,2,3,4,5,6 --threads 1 --out both
  expect wait "$first"
  expect_equal "$(folders both)" 6
  for run in both/*/; do
    expect_equal "$(grep -c 'training in' "$run/log.txt")" 1
  done
}

write_config track.json 8
write_config endless.json 1000000000 20
((${#cases[@]} > 0)) ||
  cases=(grid duplicate list failure dry_run threads usage sigterm ctrl_c loop together)
for current in "${cases[@]}"; do
  "${current}_case"
  echo "$current: ok"
done
