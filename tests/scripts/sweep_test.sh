#!/usr/bin/env bash
# Sweeps over tiny experiments: what runs, what is skipped, what fails.
#   tests/scripts/sweep_test.sh SSMCTL [CASE...]
# Prints the name of each case that holds; exit 1 at the first that does not.
set -euo pipefail
# shellcheck source=sweep_support.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_support.sh"

# Every combination runs once and has its row; a second sweep skips it.
grid_case() {
  run_sweep 0 track.json train.lr=0.001,0.002 --seeds 1,2 --out grid
  expect_equal "$(folders grid)" 4
  expect_equal "$(rows)" 4
  expect_equal "$(grep -c '^\[[1-4]/4\] start ' err)" 4
  expect_equal "$(grep -c '^\[[1-4]/4\] ok ' err)" 4
  expect_in 'sweep: 4 ok' err
  expect test -e grid/track-lr_0.002-seed_1-*/results/test-forward-T16-n16-step8-seed1.json
  expect_in '"init": 2' grid/track-lr_0.001-seed_2-*/config.json
  skip_of_grid
}

# What is finished stays; what is new is added.
skip_of_grid() {
  local run
  cp -a grid before
  run_sweep 0 --seeds 1,2 track.json train.lr=1e-3,2e-3,0.003 --out grid
  expect_in 'sweep: 2 ok, 4 skipped' err
  expect_equal "$(grep -c ' start track-lr_0.003-' err)" 2
  expect_equal "$(grep -c ' start ' err)" 2
  expect_equal "$(rows)" 6
  for run in before/*/; do expect diff -r "$run" "grid/$(basename "$run")"; done
  # Another experiment under the same file name is another run.
  write_config track.json 12
  run_sweep 0 track.json train.lr=0.001 --seeds 1 --out grid
  expect_in 'sweep: 1 ok' err
  expect_equal "$(folders grid)" 7
  write_config track.json 8
}

# Another section "eval" is evaluated, and trains nothing.
eval_section_case() {
  local run
  write_config section.json 8
  run_sweep 0 section.json --seeds 1,2 --out section
  cp -a section trained
  sed -i 's/"eval": .*/"eval": {"examples": 12, "lengths": [24, 32], "mode": "step"}}/' section.json
  run_sweep 0 --dry-run section.json --seeds 1,2 --out section
  mv out lines
  run_sweep 0 section.json --seeds 1,2 --out section
  expect_in 'sweep: 2 skipped' err
  expect_equal "$(rows)" 6 # those of the first section stay
  for run in trained/*/; do
    run=section/$(basename "$run")
    expect diff -r "$run" "trained/${run#*/}" --exclude=results
    expect test -e "$run"/results/test-step-T24-n12-step8-seed[12].json
    expect test -e "$run"/results/test-step-T32-n12-step8-seed[12].json
  done
  # What the command line says of eval.* counts more, and the printed lines do the same.
  run_sweep 0 section.json --seeds 1,2 --out section eval.examples=5 eval.mode=forward
  expect test -e section/section-seed_1-*/results/test-forward-T24-n5-step8-seed1.json
  rm -rf section/*/results
  sh lines > out 2> err || complain "sh lines"
  expect_equal "$(find section -path '*/results/test-step-T??-n12-*' | wc -l)" 4
  expect_equal "$(find section -path '*/results/*.json' | wc -l)" 4
}

# An evaluation that fails leaves the others.
failed_eval_case() {
  run_sweep 1 track.json 'eval.lengths=[2],[24]' --out partly
  expect_in 'failed at eval.lengths=[2] in track' err
  expect_in 'failed track-' err
  expect_in '1 of 2 evaluations' err
  expect_in 'sweep: 1 failed' err
  expect_equal "$(rows)" 1
  expect test -e partly/track-*/results/test-forward-T24-*.json
}

# seed.eval stands beside seeds of training, wherever it is written.
seed_case() {
  run_sweep 0 track.json seed.eval=7 --seeds 5,6 --out seeds
  expect_in '"data": 6' seeds/track-eval_7-seed_6-*/config.json
  expect_in '"eval": 7' seeds/track-eval_7-seed_6-*/config.json
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

# One budget over mixers: each has its own width, and all cost the same.
budget_case() {
  local run params
  run_sweep 0 track.json model.d_model=null budget.params=40000 --out budget \
    'model.block.mixer={"type":"gru"},{"type":"mamba"},{"type":"s4d"}'
  expect_equal "$(folders budget)" 3
  expect_equal "$(rows)" 3
  expect_in 'FLOPs' out
  for run in budget/*/; do
    expect_in '"params": 40000' "$run/config.json"
    params=$(sed -n 's/^ *"params": \([0-9]*\),$/\1/p' "$run"/results/*.json)
    ((params >= 39200 && params <= 40800)) || complain "$run has $params parameters"
    expect grep -q '"flops": [1-9]' "$run"/results/*.json
  done
  expect_equal "$(grep -h '"d_model"' budget/*/config.json | sort -u | wc -l)" 3
  # A budget that one of them cannot meet is told, and the others run.
  run_sweep 1 track.json model.d_model=null budget.state_bytes=256 --out state \
    'model.block.mixer={"type":"gru"},{"type":"lti"}'
  expect_in 'sweep: 1 ok, 1 failed' err
  expect_in 'is more than any width takes' err
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
  expect_in 'sweep: 1 ok, 3 failed' err
  line=$(grep 'failed track-lr_1e30' err)
  [[ $line =~ ': exit code 10, '(error: Training diverged.*)' (log: '(.*)')' ]] || complain "$line"
  expect_in "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
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

run_cases "$@" -- grid eval_section failed_eval seed duplicate list budget failure dry_run threads usage
