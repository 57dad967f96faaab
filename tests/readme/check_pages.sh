#!/usr/bin/env bash
# check_pages.sh SOURCE: every link of every page of SOURCE leads to a file, and to a heading where it names one; the code of
# docs/writing_an_element.md is that of elements/point_mass.
set -euo pipefail
cd "$1"
wrong=0
report() { echo "$1"; wrong=1; }

pages() { find . -name '*.md' -not -path './build/*' -not -path './results/*' -not -path './.*/*' | sort; }
prose() { awk '/^[ ]*```/ { fenced = !fenced; next } !fenced' "$1" | sed 's/`[^`]*`//g'; }
# The names that GitHub gives to a page's headings.
headings() {
  awk '/^[ ]*```/ { fenced = !fenced; next } !fenced && /^#+ /' "$1" | sed -E 's/^#+ +//; s/[`*]//g; s/\[([^]]*)\]\([^)]*\)/\1/g' |
    tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9_ -]//g; s/ /-/g'
}

while IFS= read -r page; do
  while IFS= read -r link; do
    case $link in http*) continue ;; esac
    file=${link%%#*}
    target=$page
    [ -z "$file" ] || target=$(dirname "$page")/$file
    if [ ! -e "$target" ]; then
      report "$page: '$link' does not exist"
    elif [ "$file" != "$link" ] && ! headings "$target" | grep -qxF -- "${link#*#}"; then
      report "$page: '$link': no such heading"
    fi
  done < <(prose "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
done < <(pages)

plain() { sed -E 's@//.*@@; s/^[ ]+//; s/[ ]+$//' "$@" | grep -v '^$'; }
while IFS= read -r line; do
  plain elements/point_mass/*.hpp elements/point_mass/*.cpp | grep -qxF -- "$line" ||
    report "docs/writing_an_element.md: not in elements/point_mass: $line"
done < <(awk '/^```/ { code = $0 == "```cpp"; next } code' docs/writing_an_element.md | plain)
exit "$wrong"
