#!/usr/bin/env bash
# run_commands.sh SOURCE BUILD: runs the commands of SOURCE/README.md, in order, in a folder where they find what they
# name: the tree, BUILD as build/release, and a results folder of their own.
set -euo pipefail
source=$1 build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for entry in "$source"/*; do
  case ${entry##*/} in build | results) ;; *) ln -s "$entry" "$place/" ;; esac
done
mkdir -p "$place/build" "$place/results"
ln -s "$build" "$place/build/release"

# Blocks without a language are commands.
commands=$(awk '/^```/ { fenced = !fenced; plain = $0 == "```"; next } fenced && plain' "$source/README.md" |
  grep -v '^\./scripts/\(demo\|test\)\.sh$')
[ "$(wc -l <<<"$commands")" -ge 8 ] || { echo "README.md has too few commands"; exit 1; }
cd "$place"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
while read -r command; do
  echo "\$ $command"
  eval "$command" </dev/null >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
done <<<"$commands"
for result in double_pendulum chain pendulum bowl; do
  ls "results/$result"/*.pvd >/dev/null
done
