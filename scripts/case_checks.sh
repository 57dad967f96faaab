#!/usr/bin/env bash
# Prints the table of checks of a case's page, from its reference.yaml; with --write puts it into the page. A test compares
# page and file (tests/readme/case_checks.sh).
#
#   case_checks.sh [--write] CASE...      CASE: a folder such as cases/chain
set -euo pipefail

table() {
  awk '
    function value(line, key,   text) {  # of `key: value`, also within { ... }
      text = line
      if (!match(text, "(^|[{, -])" key ": *")) return ""
      text = substr(text, RSTART + RLENGTH)
      if (match(text, /^\{[^}]*\}/)) return substr(text, 1, RLENGTH)
      sub(/ #.*$/, "", text)
      if (line ~ /\{/) sub(/[,}].*$/, "", text)
      gsub(/^["\47]|["\47]$/, "", text)
      return text
    }
    function flush() {
      if (name == "") return
      if (energy != "") what = what (what == "" ? "" : ", ") "energy to " energy
      file = "`" (file == "" ? "case.yaml" : file) "`"
      gsub(/[{}]/, "", set)
      if (set != "") file = file ", `" set "`"
      printf "| %s | %s | %s | %s | %s | %s |\n", name, file, what, trust, of_range, exact ? "exact" : cap
    }
    BEGIN {
      print "| check | run | compared | trust | tolerance | cap |"
      print "|---|---|---|---|---|---|"
    }
    /^  - name: / { flush(); name = value($0, "name"); file = set = what = trust = of_range = cap = energy = ""; exact = 0; next }
    name == "" { next }
    /^    case: / { file = value($0, "case") }
    /^    set: / { set = value($0, "set") }
    /^    trust: / { line = $0; sub(/^    trust: \{/, "", line); sub(/\}.*/, "", line)
                     trust = of_range = line; sub(/.*label: */, "", trust); sub(/,.*/, "", trust)
                     sub(/.*of_range: */, "", of_range); sub(/,.*/, "", of_range) }
    /^    cap: / { cap = value($0, "cap") }
    /^    exact: yes/ { exact = 1 }
    /^    energy: / { energy = $0; sub(/.*within: */, "", energy); sub(/[,}].*/, "", energy) }
    /^    quantities: *\*/ { anchor = $0; sub(/.*\*/, "", anchor); what = same[anchor] }
    /^    quantities: *&/ { anchor = $0; sub(/.*&/, "", anchor) }
    /sensor: / && !/^    energy/ { sensor = $0; sub(/.*sensor: */, "", sensor); sub(/[,} ].*/, "", sensor) }
    /channel: / { channel = $0; sub(/.*channel: */, "", channel); sub(/[,} ].*/, "", channel)
                  item = "`" sensor "." channel "`"
                  if (index(what, item) == 0) what = what (what == "" ? "" : ", ") item
                  if (anchor != "") same[anchor] = what }
    /^    (case|set|cap|trust|energy|quick|ladders): / { anchor = "" }
    END { flush() }' "$1/reference.yaml"
}

write=no
if [ "${1:-}" = --write ]; then write=yes; shift; fi
for folder in "$@"; do
  if [ $write = no ]; then table "$folder"; continue; fi
  table "$folder" >"$folder/README.md.table"
  awk -v table="$folder/README.md.table" '
    /^\| check \| run \| compared \|/ { while ((getline line <table) > 0) print line; inside = 1; next }
    inside && /^\|/ { next }
    { inside = 0; print }' "$folder/README.md" >"$folder/README.md.new"
  mv "$folder/README.md.new" "$folder/README.md"
  rm "$folder/README.md.table"
done
