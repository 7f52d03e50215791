#!/usr/bin/env bash
# Starts a sequence mixer: a leaky integrator under a new name, which keeps every law.
#   scripts/new_mixer.sh NAME
# NAME is lower case with underscores, as configs will write it. Writes lib/ssm/mixers/NAME.h and
# NAME.cc (from tests/outside/decay.h and decay.cc), their lines in CMakeLists.txt and
# register_mixers.cc, and the row of tests/verify/test_mixers.cc that holds it to every law.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -ne 1 || $1 == -* ]]; then
  sed -n '2,6s/^# \{0,1\}//p' scripts/new_mixer.sh
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit 0
  exit 64
fi

name=$1
folder=lib/ssm/mixers
if [[ ! $name =~ ^[a-z][a-z0-9]*(_[a-z0-9]+)*$ ]]; then
  echo "new_mixer.sh: found \"$name\"; allowed: lower case letters, digits and single _, as in gated_decay" >&2
  exit 64
fi
for file in "$folder/$name.h" "$folder/$name.cc"; do
  if [[ -e $file ]]; then
    echo "new_mixer.sh: $file exists; choose another name" >&2
    exit 73
  fi
done

# gated_decay -> GatedDecay
class=$(sed -E 's/(^|_)([a-z0-9])/\U\2/g' <<< "$name")
# What stands in the text for the example's names; its namespace becomes the library's own.
rename() {
  sed -E -e 's/namespace outside/namespace ssm/' -e '/#include/!s/\bssm:://g' \
    -e "s/\\bDecay(Options|Stepper)?\\b/$class\\1/g" -e "s|\"decay.h\"|\"ssm/mixers/$name.h\"|" "$1"
}
# insert FILE PATTERN LINE: before the first line that matches.
insert() {
  awk -v pattern="$2" -v line="$3" '!done && $0 ~ pattern {print line; done = 1} {print}' "$1" > "$1.tmp"
  mv "$1.tmp" "$1"
}

rename tests/outside/decay.h > "$folder/$name.h"
rename tests/outside/decay.cc > "$folder/$name.cc"
sed -i "s/register_mixers.cc/$name.cc register_mixers.cc/" "$folder/CMakeLists.txt"
insert "$folder/register_mixers.cc" '^$' "#include \"ssm/mixers/$name.h\""
insert "$folder/register_mixers.cc" '^}$' \
  "  registry.Add<${class}Options>(\"$name\", \"a leaky integrator for each channel\");"
insert tests/verify/test_mixers.cc '^  };$' "      {\"$name\", \"{}\"},"
if command -v clang-format > /dev/null; then
  clang-format -i "$folder/$name.h" "$folder/$name.cc" "$folder/register_mixers.cc"
fi

cat <<DONE
$folder/$name.h, $name.cc             the mixer: change the equation, its parameters and its state
$folder/CMakeLists.txt        its source
$folder/register_mixers.cc    its line
tests/verify/test_mixers.cc           one configuration for the laws: add more as options come
Now: cmake --build --preset dev && ctest --preset dev -R verify
DONE
