#!/usr/bin/env bash
# case_pages_test.sh CASE_PAGES: the script must name each of these faults.
set -euo pipefail
check=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/cases/rod"
cat >"$copy/cases/rod/reference.yaml" <<'YAML'
source: closed form
checks:
  - name: motion
    trust: {label: A, of_range: 1e-9}
    cap: 1e-4
    quantities:
      - sensor: tip
        channel: position
        values:
          - [1, 0, 0, 0]
YAML
row='| motion | `case.yaml` | `tip.position` | A | 1e-9 | 1e-4 |'
write() {  # write PICTURE COMMAND ROWS
  printf '# A rod\n\n![A rod](%s)\n\n```\n%s\n```\n\n| check | run | compared | trust | tolerance | cap |\n|---|---|---|---|---|---|\n%s\n' \
    "$1" "$2" "$3" >"$copy/cases/rod/README.md"
}
refuses() {  # refuses TEXT
  if found=$("$check" "$copy"); then echo "unnoticed: $1"; exit 1; fi
  grep -qF -- "$1" <<<"$found" || { echo "expected '$1', found: $found"; exit 1; }
}
command='trammel run cases/rod/case.yaml -o results/rod'

write picture.png "$command" "$row"
"$check" "$copy"
write other.png "$command" "$row"
refuses 'no picture below the title'
write picture.png 'trammel check cases/rod/case.yaml' "$row"
refuses 'no command that runs the case'
write picture.png "$command" "${row/1e-9/1e-8}"
refuses 'not in its table of checks'
write picture.png "$command" "$row
$row"
refuses 'has 4 lines'
