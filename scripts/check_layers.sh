#!/usr/bin/env bash
# Reads the #include lines of the library against the order of its layers.
#   scripts/check_layers.sh
# Fails, naming file and line, when a layer includes what is not left of it, when a CMake list
# names a layer that is not allowed, when a .cc file is in no CMake list, or when a header shows a
# library that belongs into .cc files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A layer and those it may name; what they may use, it may use too.
declare -A uses=(
  [base]=''
  [config]='base'
  [kernels]='base'
  [tensor]='kernels'
  [io]='tensor'
  [systems]='kernels tensor config io'
  [autograd]='tensor kernels'
  [nn]='autograd config'
  [mixers]='nn systems io'
  [models]='mixers'
  [tasks]='autograd config io systems'
  [statistics]='base'
  [plot]='base'
  [evaluation]='models tasks statistics'
  [training]='evaluation io'
  [analysis]='evaluation systems plot'
  [interop]='models io'
  [verify]='training'
  [experiment]='verify analysis interop plot'
  [cli]='experiment'
)

failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}

declare -A closure
# reach LAYER: fills closure[LAYER] with every layer it may include, itself first.
reach() {
  [[ -z ${closure[$1]:-} ]] || return 0
  local all=" $1 " used layer
  for used in ${uses[$1]}; do
    reach "$used"
    for layer in ${closure[$used]}; do
      [[ $all == *" $layer "* ]] || all+="$layer "
    done
  done
  closure[$1]=$all
}

check_includes() {
  local layer=$1 file line included
  while IFS=: read -r file line included; do
    [[ -n $file ]] || continue
    [[ ${closure[$layer]} == *" $included "* ]] ||
      fail "$file:$line: $layer may not include ssm/$included/"
  done < <(grep -rnE '^#include "ssm/[a-z]+/' "lib/ssm/$layer" --include='*.h' --include='*.cc' |
    sed -E 's|^([^:]+):([0-9]+):#include "ssm/([a-z]+)/.*|\1:\2:\3|')
}

# The words after USES in a CMake list.
used_in_cmake() {
  tr '\n()' '   ' < "$1" | grep -oE 'USES( [a-z]+)+' | sed 's/^USES//' || true
}

check_cmake() {
  local layer=$1 list=lib/ssm/$1/CMakeLists.txt used
  for used in $(used_in_cmake "$list"); do
    [[ ${closure[$layer]} == *" $used "* ]] || fail "$list: $layer may not use $used"
  done
}

# check_orphans FOLDER LIST...: every .cc below the folder is a word of one of the CMake lists, by
# its path from the folder or after "../FOLDER/".
check_orphans() {
  local folder=$1 file
  shift
  while read -r file; do
    grep -qE "(^|[ (/])${file//./\\.}($|[ )])" "$@" || fail "$folder/$file: in no CMake list"
  done < <(cd "$folder" && find . -name '*.cc' | sed 's|^\./||' | sort)
}

# check_library PATTERN WHERE: headers that match PATTERN are included only in files matching WHERE.
check_library() {
  local hit
  while read -r hit; do
    [[ -n $hit ]] || continue
    [[ ${hit%%:*} =~ $2 ]] || fail "${hit%:*}: includes ${hit##*:}, allowed only in $2"
  done < <(grep -rnE "^#include [<\"]($1)" lib apps --include='*.h' --include='*.cc' |
    sed -E 's/:#include /:/; s/[<>"]//g')
}

for folder in lib/ssm/*/; do
  layer=$(basename "$folder")
  if [[ -z ${uses[$layer]+known} ]]; then
    fail "lib/ssm/$layer: a layer that scripts/check_layers.sh does not know"
    continue
  fi
  reach "$layer"
  check_includes "$layer"
  check_cmake "$layer"
  check_orphans "lib/ssm/$layer" "lib/ssm/$layer/CMakeLists.txt"
done
for list in tests/*/CMakeLists.txt; do
  folder=$(dirname "$list")
  lists=("$list")
  [[ $folder != tests/support ]] || lists=(tests/*/CMakeLists.txt)
  check_orphans "$folder" "${lists[@]}"
done
check_orphans apps/ssmctl apps/ssmctl/CMakeLists.txt

# "-inl.h" files are parts of .cc files.
check_library 'Eigen/|unsupported/Eigen/' '^lib/ssm/(kernels|systems)/.*(\.cc|-inl\.h)$'
check_library 'fftw3\.h' '^lib/ssm/kernels/.*\.cc$'
check_library 'hwy/' '^lib/ssm/kernels/.*(\.cc|-inl\.h)$'
check_library 'CLI/' '^lib/ssm/cli/command_(line|flags)\.cc$'
check_library 'spdlog/' '^lib/ssm/base/.*\.cc$'
check_library 'Random123/' '^lib/ssm/base/random\.cc$'
check_library 'fmt/' '\.cc$'
check_library 'nlohmann/json\.hpp' '\.cc$'

if [[ $failures -gt 0 ]]; then
  echo "$failures faults"
  exit 1
fi
echo "layers are in order"
