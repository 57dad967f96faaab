#!/usr/bin/env bash
# Every page ends with a link to docs/notation.md, which leads there.
#
#   notation_links.sh SOURCE_FOLDER
set -uo pipefail
cd "$1" || exit 2
broken=0
while IFS= read -r page; do
  case $page in
    CHANGELOG.md | docs/notation.md) continue ;;  # a list, and the page itself
    sdk/template/*) continue ;;                   # copied into projects of others
  esac
  target=$(tail -n 1 "$page" | sed -n 's/^Symbols, signs and terms: \[notation\](\(.*\))\.$/\1/p')
  if [ -z "$target" ]; then
    echo "$page: its last line is no link to docs/notation.md: Symbols, signs and terms: [notation](PATH)."
    broken=1
  elif [ ! "$(dirname "$page")/$target" -ef docs/notation.md ]; then
    echo "$page: the link to the notation leads to '$target'"
    broken=1
  fi
done < <(find . -name '*.md' -not -path './build/*' -not -path './results/*' -not -path './.git/*' | sed 's|^\./||' | sort)
exit "$broken"
