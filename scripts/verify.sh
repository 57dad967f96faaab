#!/usr/bin/env bash
# Runs the cases against their references and prints one table (cases/README.md explains its columns).
#   ./scripts/verify.sh            as the tests do: one coarse run where a check takes long
#   ./scripts/verify.sh --all      every run of every check
#   ./scripts/verify.sh [--all] four_bar_x heavy_top ...    these cases only
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. ./scripts/environment.sh

export TRAMMEL_CASES=quick
filter=
for argument in "$@"; do
  case $argument in
    --all) TRAMMEL_CASES=all ;;
    -*) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) filter+=${filter:+:}Cases/Case.agrees_with_its_reference/${argument}_* ;;
  esac
done

build=${BUILD:-build/release}
if [ -z "${BUILD:-}" ]; then
  cmake --preset release --log-level=WARNING >/dev/null &&
    cmake --build --preset release --target cases_tests runtime -- -j "$cores" --quiet || exit 1
fi
"$build/tests/cases_tests" --gtest_brief=1 --gtest_filter="${filter:-Cases/*}"
