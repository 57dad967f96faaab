#!/usr/bin/env bash
# Makes the pictures in cases/ anew: runs each case and calls trammel-render as the case's README says, with the settings of its
# sentence "The picture is of a run with `--set ...`"; with nothing but the view of the run where it says nothing.
#
#   ./scripts/pictures.sh                  all
#   ./scripts/pictures.sh four_bar_x ...   these
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

bin=${TRAMMEL_BIN:-build/release/bin}
[ -x "$bin/trammel-render" ] || { echo "pictures.sh: there is no $bin/trammel-render; build it first" >&2; exit 1; }
command -v pngquant >/dev/null ||
  { echo "pictures.sh: pngquant, which reduces pictures to a palette, is not here; scripts/setup.sh installs it" >&2; exit 1; }
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# Pictures are small, and have few colours: a palette takes a third of the bytes.
size=640x400
largest=60000

status=0
picture() {
  local case=$1 line=$2 file options
  read -r _ _ _ file options <<<"$line"
  # shellcheck disable=SC2086
  "$bin/trammel-render" "$results/$case" -o "cases/$case/$file" --size $size $options
  # Its status is 98 where the result would be larger.
  pngquant --force --skip-if-larger --ext .png "cases/$case/$file" || [ $? -eq 98 ]
  local bytes
  bytes=$(stat -c %s "cases/$case/$file")
  echo "cases/$case/$file: $bytes bytes"
  [ "$bytes" -le $largest ] || { echo "cases/$case/$file is larger than $largest bytes" >&2; return 1; }
}

cases=("$@")
[ $# -gt 0 ] || mapfile -t cases < <(ls -d cases/*/ | xargs -n 1 basename)
for case in "${cases[@]}"; do
  line=$(grep -m 1 "trammel-render results/$case " "cases/$case/README.md" ||
    echo "trammel-render results/$case -o picture.png")
  input=$(sed -n "s|^trammel run \(cases/[^ ]*\) -o results/$case\$|\1|p" "cases/$case/README.md" | head -n 1)
  read -ra settings <<<"$(sed -n 's/^The picture is of a run with[^`]*`\([^`]*\)`.*/\1/p' "cases/$case/README.md")"
  if ! "$bin/trammel" run "${input:-cases/$case/case.yaml}" -o "$results/$case" "${settings[@]}" >"$results/log" 2>&1; then
    tail -n 5 "$results/log" >&2
    status=1
    continue
  fi
  picture "$case" "$line" || status=1
  rm -rf "${results:?}/$case"
done
exit $status
