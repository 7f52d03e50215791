#!/usr/bin/env bash
# Builds everything and runs every test.
#   scripts/test.sh [--no-install]
# Installs missing Debian packages if it may (--no-install: prints the line and exits 69).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 1 || ($# -eq 1 && $1 != --no-install) ]]; then
  sed -n '2,4s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  [[ ${1:-} == --help || ${1:-} == -h ]] && exit 0
  exit 64
fi

scripts/ensure_packages.sh "$@"
cmake --preset dev
cmake --build --preset dev
ctest --preset dev -j "$(nproc)"
