#!/usr/bin/env bash
# Makes sure that the Debian packages of scripts/packages.txt are there.
#   scripts/ensure_packages.sh [--no-install]
# Installs what is missing as root, or by sudo where that asks no password. Otherwise, or with
# --no-install, prints the line for an administrator and exits 69.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
install=true
for argument in "$@"; do
  case $argument in
    --no-install) install=false ;;
    *)
      echo "usage: scripts/ensure_packages.sh [--no-install]" >&2
      exit 64
      ;;
  esac
done

if ! command -v dpkg-query > /dev/null; then
  echo "This is no Debian system: install what scripts/packages.txt lists under its names here." >&2
  exit 0
fi

missing=()
while read -r package _; do
  case $package in '' | '#'*) continue ;; esac
  status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null | sort -u || true)
  [[ $status == *installed* && $status != *not-installed* ]] || missing+=("$package")
done < "$here/packages.txt"
[[ ${#missing[@]} -gt 0 ]] || exit 0

line="apt-get install -y --no-install-recommends ${missing[*]}"
if $install && [[ $(id -u) -eq 0 ]]; then
  as_root=()
elif $install && command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
  as_root=(sudo -n)
else
  echo "Packages are missing; an administrator installs them with:" >&2
  echo "$line"
  exit 69
fi
echo "== installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
# shellcheck disable=SC2086  # the line is words on purpose
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $line > /dev/null
