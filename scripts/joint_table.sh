#!/usr/bin/env bash
# Writes the tables of docs/joints.md (what `trammel verify` finds of every joint, and what each of them is) and
# docs/joint_parameters.md (what `trammel describe` says of each).
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/environment.sh
trammel=${BUILD:-build/release}/bin/trammel
page=docs/joints.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$trammel" list | awk '$2 == "joints"' >"$work/types"
"$trammel" verify --markdown | awk -v types="$work/types" '
  BEGIN { while ((getline line <types) > 0) { split(line, word, " "); plugin[word[1]] = word[3] } }
  /^\| / && ($2 in plugin) { sub(/^\| [a-z_0-9]+ /, "| [" $2 "](../plugins/" plugin[$2] "/README.md) ") }
  { print }' >"$work/tables"
{
  echo
  echo "| joint | what it does |"
  echo "|---|---|"
  awk '{ name = $1; plugin = $3; $1 = $2 = $3 = ""; sub(/^ +/, "")
         printf "| [%s](../plugins/%s/README.md) | %s |\n", name, plugin, $0 }' "$work/types"
} >>"$work/tables"

awk -v tables="$work/tables" '
  /^<!-- end of the tables -->/ { inside = 0 }
  !inside { print }
  /^<!-- scripts\/joint_table.sh writes/ { inside = 1; while ((getline line <tables) > 0) print line }' "$page" >"$work/page"
cp "$work/page" "$page"

{
  echo "# Parameters of the joints"
  echo
  echo "What \`trammel describe TYPE --markdown\` prints; \`scripts/joint_table.sh\` writes this page."
  while read -r name _ plugin _; do
    printf '\n## %s\n\nPage: [%s](../plugins/%s/README.md)\n\n' "$name" "$plugin" "$plugin"
    # A sensor or an element may have the same name: only the joint, and of its tables the first, the parameters.
    "$trammel" describe "$name" --markdown | awk -v joint="^$name: joint type" '
      /^[a-z_0-9]+: / { inside = $0 ~ joint; table = 0 }
      inside && /^\|/ && table == 0 { print; found = 1 }
      inside && found && !/^\|/ { table = 1; found = 0 }'
  done <"$work/types"
  printf '\nSymbols, signs and terms: [notation](notation.md).\n'
} >docs/joint_parameters.md
