#!/usr/bin/env bash
# The standing benchmark: one table, and plots as PNG and SVG, in build/bench/run. Times mean something only on an idle machine.
#   bench/run.sh          chains, beams, mechanisms, lattices, two ranks, output, up to 10,000 bodies or elements
#   bench/run.sh full     up to 100,000 bodies and a lattice of 100 x 100 cells
#   bench/run.sh quick    the smallest sizes, to see that it works
#   bench/run.sh full chain, spherical    the systems whose names hold these words
# The plots need Debian's python3-matplotlib; without it there is a note in their place.
set -euo pipefail
. "$(dirname "$0")/start.sh"
export OMPI_MCA_mpi_yield_when_idle=1
/usr/bin/python3 bench/run.py "$trammel" "$results" build/bench/run "${@:-standard}"
