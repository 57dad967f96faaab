#!/usr/bin/env bash
# run_pages.sh SOURCE BUILD: runs every whole case (a block that begins with "trammel: 1") in the pages of elements and plugins.
set -euo pipefail
source=$1 build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
failed=0 cases=0
for page in "$source"/elements/*/README.md "$source"/plugins/*/README.md; do
  rm -f "$place"/*.yaml
  awk -v place="$place" '
    /^```/ { if (file) close(file); file = ""; first = $0 == "```yaml"; next }
    first { if ($0 == "trammel: 1") file = place "/" ++n ".yaml"; first = 0 }
    file { print > file }' "$page"
  for file in "$place"/*.yaml; do
    [ -e "$file" ] || continue
    cases=$((cases + 1))
    if ! "$build/bin/trammel" run "$file" -o "$place/out" </dev/null >"$place/log" 2>&1; then
      echo "${page#"$source"/}:"
      tail -5 "$place/log"
      failed=1
    fi
  done
done
echo "$cases cases"
[ "$cases" -ge 20 ] || failed=1
exit "$failed"
