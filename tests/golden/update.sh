#!/bin/sh
# Shows how the words for bad inputs differ from tests/golden/bad_inputs.json; with --write, takes
# the new words over. Read every changed line before committing it: it is what users will see.
#
#   tests/golden/update.sh BUILD_DIR [--write]
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$2" != --write ]; }; then
  echo "usage: tests/golden/update.sh BUILD_DIR [--write]" >&2
  exit 64
fi
wish=show
if [ $# -eq 2 ]; then wish="write"; fi
SSM_GOLDEN_UPDATE=$wish exec "$1/test_golden" --test-case="every bad input gets its words from the program"
