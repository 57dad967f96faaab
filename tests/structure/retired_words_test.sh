#!/usr/bin/env bash
# retired_words_test.sh RETIRED_WORDS: the script must name each of these lines, and none of the ordinary ones.
set -euo pipefail
script=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/kernel" "$folder/docs" "$folder/cases/swing"

finds() {  # finds FILE LINE
  printf 'first\n%s\n' "$2" >"$folder/$1"
  if found=$("$script" "$folder"); then echo "'$2' in $1 went unnoticed"; exit 1; fi
  grep -qF "$1:2:" <<<"$found" || { echo "expected line 2 of $1 to be named, found: $found"; exit 1; }
  rm "$folder/$1"
}

passes() {  # passes FILE LINE
  printf '%s\n' "$2" >"$folder/$1"
  found=$("$script" "$folder") || { echo "an ordinary use is taken for a retired word: $found"; exit 1; }
  rm "$folder/$1"
}

finds kernel/model.hpp 'class ShareSink;'
finds kernel/model.cpp '  const BlockPlace& at = layout.offset(id);'
finds kernel/model.cpp '// The largest share of any instance.'
finds kernel/model.cpp '  log.line("joint lets go at t = 1");'
finds docs/page.md 'The gear has two freedoms.'
finds docs/page.md 'Equations that repeat others are found.'
finds docs/page.md 'A constraint that gives way has a multiplier of its own.'
finds cases/swing/case.yaml '  watch: {type: function, value: "energy.lost_power"}'

passes cases/swing/case.yaml '  pin: {type: revolute, between: [ground, rod], share: no}'
passes docs/page.md 'Two joints share a block. The place in the file is named, and the figure repeats the first one.'
passes kernel/model.cpp '  return std::remainder(angle, 2 * pi);  // the demand of the reader is left out of this'
passes CHANGELOG.md '- `lost_power` is now called `dissipated_power`.'
