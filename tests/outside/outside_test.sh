#!/usr/bin/env bash
# Installs a build and lets an outside program use it.
#   outside_test.sh BUILD_DIR
# The program's own mixer must pass every law, train and be evaluated.
set -euo pipefail
build=$1
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > /dev/null
cmake -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/build"
program=$work/build/outside

"$program" list mixers | grep -q '^ *decay '
"$program" check --quick "$source/decay.json"
"$program" train --quiet "$source/decay.json" --out "$work/run"
"$program" eval "$work/run" > "$work/table"
grep -q 'decay' "$work/table"
test -s "$work/prefix/share/bash-completion/completions/ssmctl"
"$work/prefix/bin/ssmctl" --version | grep -q '^ssmctl '
