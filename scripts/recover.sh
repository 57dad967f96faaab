#!/usr/bin/env bash
# Runs every case once as it is and once stopped in the middle and continued from the checkpoint, and compares all histories and
# the series byte by byte (one rank). Prints a line a case; fails where one differs.
#
#   scripts/recover.sh [CASE_FOLDER ...]     default: all under cases/
#   TRAMMEL=build/release/bin/trammel        the program
#   LIMIT=600                                seconds that the undisturbed run of a case may take
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
trammel=${TRAMMEL:-$root/build/release/bin/trammel}
limit=${LIMIT:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- "$root"/cases/*/
failed=0 equal=0 left=0

# Runs the case with checkpoints every $1 nominal steps; true where two were left, the first of which lies in the middle.
run_with_checkpoints() {
  rm -rf "$work/whole"
  timeout "$limit" "$trammel" run "$case" -o "$work/whole" -q --checkpoint-every "$1" >"$work/out" 2>&1
  status=$?
  [ $status -eq 0 ] || [ $status -eq 3 ] || return 2
  [ "$(find "$work/whole" -name 'checkpoint_*.h5' | wc -l)" -eq 2 ]
}

for folder in "$@"; do
  case=$folder/case.yaml name=$(basename "$folder")
  [ -f "$case" ] || continue
  rm -rf "$work/whole"
  timeout "$limit" "$trammel" run "$case" -o "$work/whole" -q >"$work/out" 2>&1
  status=$?
  if [ $status -ne 0 ] && [ $status -ne 3 ]; then
    echo "left out  $name: the run ends with status $status"
    left=$((left + 1))
    continue
  fi
  steps=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' "$work/whole/run.json")
  every=$((steps / 2))
  found=no
  while [ "$every" -ge 1 ]; do
    run_with_checkpoints "$every" && found=yes && break
    every=$((every / 2))
  done
  if [ $found = no ]; then
    echo "left out  $name: no state in the middle ($steps steps)"
    left=$((left + 1))
    continue
  fi
  rm -rf "$work/continued"
  cp -r "$work/whole" "$work/continued"
  from=$(find "$work/continued" -name 'checkpoint_*.h5' | sort | head -n 1)
  "$trammel" run "$case" -o "$work/continued" -q --checkpoint-every "$every" --restart "$from" >"$work/out" 2>&1
  again=$?
  difference=$(diff -rq "$work/whole" "$work/continued" -x run.log -x run.json -x 'checkpoint_*' 2>&1)
  if [ $again -eq $status ] && [ -z "$difference" ]; then
    echo "equal     $name ($steps steps, checkpoint every $every)"
    equal=$((equal + 1))
  else
    echo "DIFFERS   $name ($steps steps, checkpoint every $every, status $again): $(head -n 3 "$work/out") $(head -n 3 <<<"$difference")"
    failed=$((failed + 1))
  fi
done
echo "$equal equal, $failed differ, $left left out"
[ $failed -eq 0 ]
