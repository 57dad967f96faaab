#!/usr/bin/env bash
# The standing benchmark: one table, and plots as PNG and SVG, in build/bench/run. Times mean something only on an idle machine.
#   bench/run.sh               all rows but the largest sizes, 20 minutes at most
#   bench/run.sh --full        all sizes
#   bench/run.sh --tiny        the smallest sizes, to see that every row works; in build/bench/tiny
#   bench/run.sh --rows "chain, revolute" vehicle    the rows whose names hold these words
# A row that is done is kept: the same command goes on where an earlier one ended, until the program is built anew. The plots need
# Debian's python3-matplotlib, which is installed where that is missing and root asks; else there is a note in their place.
set -euo pipefail
. "$(dirname "$0")/start.sh"
. bench/plotting.sh
export OMPI_MCA_mpi_yield_when_idle=1
folder=()
case " $* " in *" --tiny "*) folder=(--folder build/bench/tiny) ;; esac
"$python" bench/run.py "$trammel" "$results" "${folder[@]}" "$@"
