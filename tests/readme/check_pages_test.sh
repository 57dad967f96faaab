#!/usr/bin/env bash
# check_pages_test.sh CHECK_PAGES: the script must name each of these faults.
set -euo pipefail
check=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/docs" "$copy/elements/point_mass"
echo 'int a = 1;  // one' >"$copy/elements/point_mass/a.cpp"
: >"$copy/elements/point_mass/a.hpp"
write() { printf '# A page\n\n## 1. One `word`\n\n%s\n' "$1" >"$copy/docs/page.md"; }
guide() { printf '# Guide\n\n```cpp\n%s\n```\n' "$1" >"$copy/docs/writing_an_element.md"; }
refuses() {  # refuses TEXT
  if found=$("$check" "$copy"); then echo "unnoticed: $1"; exit 1; fi
  grep -qF -- "$1" <<<"$found" || { echo "expected '$1', found: $found"; exit 1; }
}

guide 'int a = 1;'
write 'See [itself](page.md#1-one-word), [the guide](writing_an_element.md) and `[no](link.md)`.'
"$check" "$copy"
write 'See [another](other.md).'
refuses "'other.md' does not exist"
write 'See [itself](#2-two).'
refuses "'#2-two': no such heading"
write 'No link.'
guide 'int a = 2;'
refuses 'not in elements/point_mass: int a = 2;'
