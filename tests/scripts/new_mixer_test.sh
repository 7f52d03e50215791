#!/usr/bin/env bash
# What scripts/new_mixer.sh writes and refuses, in a copy of the files it works on.
#   tests/scripts/new_mixer_test.sh CXX
# The compiler CXX reads what was written, to the end but without making anything of it.
set -euo pipefail

compiler=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

complain() {
  printf 'FAILED: %s\n' "$*" >&2
  for file in out err; do
    [[ ! -s $file ]] || sed "s/^/  $file: /" "$file" >&2
  done
  exit 1
}

# expect WORD...: the command must succeed.
expect() { "$@" > out 2> err || complain "$*"; }

# new_mixer CODE WORD...: must end with that code; leaves `out` and `err`.
new_mixer() {
  local wanted=$1 code=0
  shift
  tree/scripts/new_mixer.sh "$@" > out 2> err || code=$?
  [[ $code == "$wanted" ]] || complain "new_mixer.sh $* ended with $code, not $wanted"
}

# expect_added FILE LINE...: these lines, and no others, were added, and none was taken away.
expect_added() {
  local file=$1
  shift
  printf '> %s\n' "$@" > wanted
  diff "before/$file" "tree/$file" | grep '^[<>]' > found || true
  diff wanted found > out || complain "other lines were added to $file"
}

mixers=lib/ssm/mixers
mkdir -p tree/tests
cp -r "$root/lib" "$root/scripts" "$root/.clang-format" tree
cp -r "$root/tests/outside" "$root/tests/verify" "$root/tests/support" tree/tests
cp -r tree before

# What is refused leaves everything as it was.
for name in Gated gated-decay 2nd _gated gated__decay gated_ '' 'a b' ../gated; do
  new_mixer 64 "$name"
  grep -qF "found \"$name\"; allowed: lower case letters" err || complain "no word on \"$name\""
done
for name in s4d state; do
  new_mixer 73 "$name"
  grep -qF "$mixers/$name.h exists; choose another name" err || complain "no word on $name"
done
new_mixer 64
new_mixer 64 one two
new_mixer 64 --frobnicate
new_mixer 0 --help
expect diff -r before tree

new_mixer 0 gated_decay
printf '%s\n' "$mixers"/{CMakeLists.txt,gated_decay.cc,gated_decay.h,register_mixers.cc} \
  tests/verify/test_mixers.cc > wanted
diff -rqN before tree | sed -E 's/.* tree\/(.*) differ$/\1/' | sort > found || true
diff <(sort wanted) found > out || complain 'other files were written'

expect_added "$mixers/register_mixers.cc" '#include "ssm/mixers/gated_decay.h"' \
  '  registry.Add<GatedDecayOptions>("gated_decay", "a leaky integrator for each channel");'
expect_added tests/verify/test_mixers.cc '      {"gated_decay", "{}"},'
expect grep -q '[ ]gated_decay.cc register_mixers.cc' "tree/$mixers/CMakeLists.txt"
expect tree/scripts/check_layers.sh
expect grep -q '^struct GatedDecayOptions final' "tree/$mixers/gated_decay.h"
for file in tree/"$mixers"/gated_decay.{h,cc}; do
  ! grep -nE '\bDecay|outside|\bssm::|"decay' "$file" > out || complain "$file names the example"
done

sources=("$mixers/gated_decay.cc" "$mixers/register_mixers.cc" tests/verify/test_mixers.cc)
for file in "${sources[@]}"; do
  expect "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
    -fsyntax-only "-DSSM_SOURCE_DIR=\"tree\"" -Itree/lib -Itree/tests "tree/$file"
done
if command -v clang-format > /dev/null; then
  expect clang-format --dry-run -Werror "tree/$mixers/gated_decay.h" "${sources[@]/#/tree/}"
fi

# A second one goes beside it.
new_mixer 73 gated_decay
new_mixer 0 slow2
expect grep -q '[ ]slow2.cc register_mixers.cc' "tree/$mixers/CMakeLists.txt"
expect "$compiler" -std=c++20 -fsyntax-only "-DSSM_SOURCE_DIR=\"tree\"" -Itree/lib "tree/$mixers/register_mixers.cc"
