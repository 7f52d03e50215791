#!/usr/bin/env bash
# What bash offers after the script of "ssmctl completion bash" was sourced; the scripts of other
# shells are read by those shells where they are installed.
#   completion_test.sh SSMCTL
set -euo pipefail
ssmctl=$1
# shellcheck source=/dev/null
source <("$ssmctl" completion bash)

# offers WORD...: prints what the last word may become, in order.
offers() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _ssmctl
  printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
}
# expect WANTED WORD...
expect() {
  local wanted=$1 found
  shift
  found=$(offers "$@")
  [[ $found == "$wanted" ]] && return
  echo "after \"$*\": found \"$found\", wanted \"$wanted\"" >&2
  exit 1
}
expect 'table task train' ssmctl t
expect '--checkpoint' ssmctl eval runs/a --ch
expect 'apply' ssmctl ap
expect '--state-in --state-out --states' ssmctl apply runs/a --st
expect 'mamba' ssmctl import ma
expect 'mixers' ssmctl list m
expect 'evidence.decide evidence.switch evidence.track' ssmctl describe evidence
expect '' ssmctl train conf # left to bash: a file name

for shell in zsh fish; do
  command -v "$shell" > /dev/null || continue
  "$shell" -n <("$ssmctl" completion "$shell")
done
