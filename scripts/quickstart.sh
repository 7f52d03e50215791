#!/usr/bin/env bash
# From a fresh checkout to a table of results.
#   scripts/quickstart.sh [--no-install]
# Installs missing Debian packages if it may (--no-install: prints the line and exits 69), builds
# ssmctl, trains and evaluates the nine experiments of configs/quickstart (three models on three
# tasks), prints the table. Run again, it continues what was cut off and repeats nothing that is
# finished.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 1 || ($# -eq 1 && $1 != --no-install) ]]; then
  sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit 0
  exit 64
fi

scripts/ensure_packages.sh "$@"

echo "== building ssmctl (build/release)"
started=$SECONDS
cmake --preset release
cmake --build --preset release --target ssmctl
echo "== built in $((SECONDS - started)) s"

# stopped CODE: the command before said why.
stopped() {
  echo "== $name stopped with exit code $1: run this again to continue, or delete $run to start over" >&2
  exit "$1"
}

ssmctl=build/release/ssmctl
runs=()
started=$SECONDS
for config in configs/quickstart/*.json; do
  name=$(basename "$config" .json)
  run=runs/quickstart/$name
  echo "== $name"
  "$ssmctl" train "$config" --out "$run" --resume || stopped $?
  "$ssmctl" eval "$run" > /dev/null || stopped $?
  runs+=("$run")
done
echo "== trained and evaluated in $((SECONDS - started)) s"
echo
"$ssmctl" table "${runs[@]}"
echo
echo "== who follows what is hidden (tracking near 1), and who says where it was seen last (near -1)"
"$ssmctl" table runs/quickstart/relocate_tokens* --by "hidden moves"
echo
echo "Next: $ssmctl --help, or change a value:"
echo "  $ssmctl train configs/quickstart/relocate_tokens_gru.json train.steps=500 --out runs/mine"
