#!/usr/bin/env bash
# What faults leave of a run: see bench/faults.py. Options are passed on: bench/faults.sh --kills 50 --terms 20 --mutants 200
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
exec python3 bench/faults.py "$@"
