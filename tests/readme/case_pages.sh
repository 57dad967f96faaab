#!/usr/bin/env bash
# case_pages.sh SOURCE: every page of a case shows its picture, says how to run it, and has the checks of its reference.yaml.
set -euo pipefail
checks=$(cd "$(dirname "$0")/../../scripts" && pwd)/case_checks.sh
cd "$1"
wrong=0
report() { echo "$1"; wrong=1; }
for folder in cases/*/; do
  folder=${folder%/}
  page=$folder/README.md
  [ "$(sed -n '3s/.*(\(.*\))$/\1/p' "$page")" = picture.png ] || report "$page: no picture below the title"
  grep -q "^trammel run $folder/.* -o results/" "$page" || report "$page: no command that runs the case"
  while IFS= read -r line; do
    grep -qxF -- "$line" "$page" || report "$page: not in its table of checks (scripts/case_checks.sh --write $folder): $line"
  done < <("$checks" "$folder")
  rows=$(awk '/^\| check \| run \|/ { inside = 1 } inside && /^\|/ { n++; next } inside { exit } END { print n + 0 }' "$page")
  [ "$rows" -eq "$("$checks" "$folder" | wc -l)" ] ||
    report "$page: its table of checks has $rows lines, and reference.yaml other ones"
done
exit "$wrong"
