#!/usr/bin/env bash
# Drift of the constraints of the heavy top, the four-bar and the double pendulum over 10 s, and order of convergence in
# time, for index 3, stabilized index 2, index 1 with and without projection: the tables of docs/time_integration.md.
#   cmake --build build/release --target drift && bench/drift.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/environment.sh
drift=${BUILD:-build/release}/bench/drift

echo "| system | form | position | velocity | acceleration | energy [J] | iterations a step |"
echo "|---|---|---|---|---|---|---|"
"$drift" "heavy top, h = 0.5 ms" cases/heavy_top/case.yaml 0.0005 10
"$drift" "four-bar, h = 2 ms" bench/four_bar.yaml 0.002 10
"$drift" "double pendulum, h = 2 ms" cases/double_pendulum/case.yaml 0.002 10
echo
echo "| system | form | positions | order | velocities | order | multipliers | order |"
echo "|---|---|---|---|---|---|---|---|"
"$drift" --order "heavy top" cases/heavy_top/case.yaml 0.001 0.1
"$drift" --order "four-bar" bench/four_bar.yaml 0.004 1
"$drift" --order "double pendulum" cases/double_pendulum/case.yaml 0.004 1
