#!/usr/bin/env bash
# What a signal leaves of a sweep over tiny experiments, and what two sweeps at once do.
#   tests/scripts/sweep_signals_test.sh SSMCTL [CASE...]
# Prints the name of each case that holds; exit 1 at the first that does not.
set -euo pipefail
# shellcheck source=sweep_support.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_support.sh"

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

# stop_and_resume HOW: stops a sweep of three runs, two at a time, while they train; the same
# command again ends with the bits of a sweep that nothing disturbed.
stop_and_resume() {
  local steps=600 arguments code
  while true; do
    rm -rf whole stopped
    write_config long.json "$steps" 20
    arguments=(long.json --seeds '1,2,3' -j 2 --threads 1 --out)
    "stop_by_$1" "${arguments[@]}" stopped
    # A training that was faster than the signal shows nothing.
    [[ $(grep -l '"stopped"' stopped/long-seed_[12]-*/status.json | wc -l) != 2 ]] || break
    steps=$((steps * 2))
  done
  expect test ! -e stopped/long-seed_3-*
  expect_in 'runs are saving' out
  expect test -z "$(find stopped -name lease.json)"
  run_sweep 0 "${arguments[@]}" stopped
  expect_in '[1/3] continue long-seed_1-' err
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

# cut_trainings DIRECTORY: how many runs have a checkpoint and no result.
cut_trainings() {
  local run count=0
  for run in "$1"/*/; do
    [[ ! -e $run/checkpoints/LATEST ]] || compgen -G "$run/results/*.json" > /dev/null ||
      count=$((count + 1))
  done
  echo "$count"
}

# kill_half_way DIRECTORY ARGUMENT...: SIGKILL to the sweep and all it started, once 8 runs have
# their result and another is training.
kill_half_way() {
  local pid code=0 directory=$1
  shift
  setsid "$sweep" "$@" --out "$directory" > out 2> err &
  pid=$!
  until (($(find "$directory" -path '*/results/*.json' 2> /dev/null | wc -l) >= 8)) &&
    (($(cut_trainings "$directory") > 0)); do
    kill -0 "$pid" 2> /dev/null || complain "the sweep ended before it could be killed"
    sleep 0.01
  done
  kill -KILL -- "-$pid"
  wait "$pid" 2> /dev/null || code=$?
  expect_equal "$code" 137
}

# Of 3 models, 2 tasks and 3 seeds, a sweep that was killed half-way and run again has the 18 rows,
# and the bits, of one that nothing disturbed.
kill_case() {
  local steps=200 arguments folder
  while true; do
    rm -rf undisturbed killed
    write_config follow.json "$steps" 10
    sed 's/"type": "evidence.track", "tau": 5, "noise": 1/"type": "evidence.decide"/' \
      follow.json > decide.json
    arguments=(follow.json decide.json --seeds '1,2,3' -j 2 --threads 1
      'model.block.mixer={"type":"s4d","d_state":4},{"type":"gru"},{"type":"attention","heads":2}')
    kill_half_way killed "${arguments[@]}"
    # A training that was faster than the signal shows nothing.
    (($(cut_trainings killed) == 0)) || break
    steps=$((steps * 2))
  done
  expect test "$(find killed -path '*/results/*.json' | wc -l)" -lt 18
  run_sweep 0 "${arguments[@]}" --out killed
  expect_in ' skipped' err
  expect test -n "$(grep -h 'continuing after step' killed/*/log.txt)"
  run_sweep 0 "${arguments[@]}" --out undisturbed
  for folder in killed undisturbed; do
    (cd "$folder" && "$SSMCTL" table ./*/ --json > ../"$folder.json")
  done
  expect_equal "$(grep -c '"run": ' killed.json)" 18
  expect cmp undisturbed.json killed.json
  same_training undisturbed killed
  for folder in undisturbed/*/; do
    expect diff -r "$folder/results" "killed/$(basename "$folder")/results"
  done
}

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

# A second signal ends what does not heed the first.
twice_case() {
  local pid code=0
  cat > deaf << 'STUB'
#!/bin/sh
case "$*" in *--hash*) exec echo '  "config_hash": "0123456789abcdef"' ;; esac
trap '' TERM
echo $$ > deaf_pid
exec sleep infinity
STUB
  chmod +x deaf
  SSMCTL=$work/deaf "$sweep" track.json --out twice > out 2>&1 &
  pid=$!
  until [[ -s deaf_pid ]]; do sleep 0.01; done
  kill -TERM "$pid"
  until grep -q 'once more ends them' out; do sleep 0.01; done
  expect kill -0 "$(< deaf_pid)"
  kill -TERM "$pid"
  wait "$pid" || code=$?
  expect_equal "$code" 143
  expect_in 'sweep: 1 stopped' out
  if kill -0 "$(< deaf_pid)" 2> /dev/null; then complain "a training goes on"; fi
}

# signal_training SIGNAL CODE: sends it to the first training of a sweep, which must end with CODE.
signal_training() {
  local pid code=0 training='' # as its lease says
  "$sweep" endless.json track.json --out outside > out 2> err &
  pid=$!
  wait_for_run 'outside/endless-*' "$pid"
  until [[ -n $training ]]; do
    training=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' outside/endless-*/lease.json 2> /dev/null) || true
  done
  kill -s "$1" "$training"
  wait "$pid" || code=$?
  expect_equal "$code" "$2"
  expect_equal "$(rows)" 1
}

# A training that somebody else stops or kills is told, and the next one runs.
outside_case() {
  signal_training TERM 75
  expect_in '[1/2] stopped endless-' err
  expect_in 'sweep: 1 ok, 1 stopped' err
  signal_training KILL 1
  expect_in ': ended by SIGKILL (log: outside/.logs/endless-' err
  expect_in 'sweep: 1 skipped, 1 failed' err
}

# What another sweep trains is left to it; together they train each run once.
together_case() {
  local first run code=0
  "$sweep" endless.json --out held > first.txt 2>&1 &
  first=$!
  wait_for_run 'held/endless-*' "$first"
  run_sweep 0 endless.json --out held
  expect_in '[1/1] held endless-' err
  expect_in 'sweep: 1 held' err
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

# Keys are pressed in a pseudo-terminal, which a bare root without /dev/pts cannot make.
cases=(sigterm kill ctrl_c loop twice outside together)
if ! script -qec true /dev/null > /dev/null 2>&1; then
  echo "no pseudo-terminal can be made here: ctrl_c and loop are left out"
  cases=(sigterm kill twice outside together)
fi
run_cases "$@" -- "${cases[@]}"
