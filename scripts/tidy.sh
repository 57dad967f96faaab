#!/usr/bin/env bash
# clang-tidy on the sources that differ from BASE (default: where this branch left main, or the previous commit),
# for at most LIMIT seconds (default 300).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
limit=${LIMIT:-300}

base=${BASE:-}
if [ -z "$base" ]; then
  head=$(git rev-parse HEAD 2>/dev/null) || exit 0
  for branch in origin/main main; do
    base=$(git merge-base "$branch" HEAD 2>/dev/null) && [ "$base" != "$head" ] && break
    base=
  done
  [ -n "$base" ] || base=$(git rev-parse --verify -q HEAD~1) || exit 0
fi

mapfile -t sources < <({ git diff --name-only --diff-filter=d "$base"; git ls-files -o --exclude-standard; } |
  sort -u | grep -E '\.cpp$' | grep -Ev '(^sdk/(template|examples)/|_test\.cpp$|^bench/)')
[ ${#sources[@]} -gt 0 ] || exit 0

cmake --preset lint --log-level=WARNING >/dev/null || exit 1
known=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/lint/compile_commands.json)
files=()
for source in "${sources[@]}"; do
  grep -qxF "$PWD/$source" <<<"$known" && files+=("$source")
done
[ ${#files[@]} -gt 0 ] || exit 0

log=build/lint/tidy.log
printf '%s\0' "${files[@]}" | timeout "$limit" xargs -0 -n 1 -P "$(nproc)" \
  clang-tidy-14 -p build/lint --quiet --extra-arg=-Wno-unknown-warning-option >"$log" 2>/dev/null
status=$?
grep -E 'warning:|error:' "$log" | sort -u
if [ "$status" -eq 124 ]; then
  echo "clang-tidy: stopped after $limit s; ${#files[@]} files asked for"
  ! grep -q 'error:' "$log"
else
  exit "$status"
fi
