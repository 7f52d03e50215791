# What the tests of scripts/sweep.sh share: a folder to work in, tiny experiments, and words for
# what must hold. Sourced with the arguments of the test: SSMCTL [CASE...].
# shellcheck shell=bash
set -euo pipefail

SSMCTL=$(realpath "$1")
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
 "train": {"steps": $2, "batch": 4, "warmup": 2, "eval_every": 0, "checkpoint_every": ${3:-4},
           "keep": 1},
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

# run_cases SSMCTL [CASE...] -- CASE...: those asked for, else the whole list; says what holds.
run_cases() {
  local -a asked=()
  shift
  while [[ $1 != -- ]]; do asked+=("$1") && shift; done
  shift
  ((${#asked[@]} > 0)) || asked=("$@")
  write_config track.json 8
  write_config endless.json 1000000000 20
  for current in "${asked[@]}"; do
    "${current}_case"
    echo "$current: ok"
  done
}
