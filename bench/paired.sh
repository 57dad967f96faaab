#!/usr/bin/env bash
# Steps of this program and of another, such as an earlier one, in turns: ratios of their times. Times mean something only on an idle machine.
#   bench/paired.sh PROGRAM                                      all rows of bench/run.sh on one rank but the largest sizes
#   bench/paired.sh PROGRAM --rows four-bar "chain, spherical" --sizes "" 100    some rows; --pairs and --longer for finer ones
set -euo pipefail
. "$(dirname "$0")/start.sh"
python3 bench/paired.py "$trammel" "$results" "$@"
