#!/usr/bin/env bash
# What bench/counts.py says of two files of counts: bookkeeping that rose is told with its functions, other code is noted.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
counts() {  # counts KERNEL ELEMENTS SMALL: a file of one case
  cat <<JSON
{"chain": {"parts": {"linear algebra": 100000, "kernel": $1, "elements": $2, "sdk": $3},
           "functions": {"kernel": {"Layout::find(int)": $(($1 - 90000)), "rest()": 90000}}}}
JSON
}
counts 100000 100000 1 >"$folder/old.json"
expect() {  # expect STATUS WORDS KERNEL ELEMENTS SMALL
  counts "$3" "$4" "$5" >"$folder/new.json"
  local status=0 said
  said=$(python3 counts.py between "$folder/old.json" "$folder/new.json") || status=$?
  if [ "$status" != "$1" ] || ! [[ $said == $2 ]]; then
    echo "counts.py between: status $status, said '$said'; expected $1, '$2'" >&2
    exit 1
  fi
}
expect 0 "" 102900 100000 1                # less than 3 %
expect 0 "" 90000 90000 1                  # it fell
expect 0 "" 100000 100000 900              # too small a part to matter
expect 0 "note: chain, elements: 100000 -> 105000 *" 100000 105000 1
expect 1 "ROSE: chain, kernel: 100000 -> 105000 instructions a step (+5.0 %)*+5000  Layout::find(int)" 105000 100000 1
