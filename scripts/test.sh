#!/usr/bin/env bash
# Checks: layout of the sources, the demonstration, all tests of the optimized build, the kernel without any other folder,
# all unit tests under sanitizers (by clang). With --all also clang-tidy on what changed. The last line is ctest's own count
# for the optimized build.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
./scripts/setup.sh || exit 1
. ./scripts/environment.sh

failed=()
counts=()

step() {  # step NAME COMMAND...: runs it and keeps its failure for the end
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" || failed+=("$name")
  echo "== $name: $((SECONDS - start)) s"
}

build() {  # build PRESET
  cmake --preset "$1" --log-level=WARNING >/dev/null && cmake --build --preset "$1" -- -j "$cores" --quiet
}

run_tests() {  # run_tests PRESET
  local log=build/$1/ctest.log status
  ctest --preset "$1" -j "$cores" --progress 2>&1 | tee "$log" | grep -v '^ *[0-9]*/[0-9]* Test .*Passed\|^    Start\|^$'
  status=${PIPESTATUS[0]}
  counts+=("$(grep 'tests passed' "$log" | tail -n 1)")
  return "$status"
}

release() { build release && run_tests release; }

sanitize() { build sanitize && run_tests sanitize; }

layout() {
  local places
  places=$(./scripts/sources.sh | xargs -r clang-format-14 --dry-run 2>&1 | grep 'warning:')
  [ -z "$places" ] && return 0
  cut -d: -f1 <<<"$places" | uniq -c | awk '{ print $2 ": " $1 " places" }'
  echo "cmake --build build/release --target format lays them out"
  return 1
}

step "layout" layout
step "paraview" ./scripts/paraview.sh
step "demo" ./scripts/demo.sh
step "release" release
step "kernel alone" ./scripts/kernel_alone.sh
step "sanitize" sanitize
if [ "${1:-}" = --all ]; then step "clang-tidy" ./scripts/tidy.sh; fi

for name in "${failed[@]}"; do echo "FAILED: $name"; done
if [ ${#counts[@]} -gt 1 ]; then echo "sanitize: ${counts[1]}"; fi
if [ ${#counts[@]} -gt 0 ]; then echo "${counts[0]}"; fi
[ ${#failed[@]} -eq 0 ]
