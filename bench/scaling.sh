#!/usr/bin/env bash
# Strong and weak scaling by counting: instructions, messages and bytes of the busiest rank in a step, on ranks that share this machine's
# cores, and the time that a model makes of them. Other work on the machine does not matter. Some 50 minutes on two cores, and 12 GB of memory for 64 ranks; what is counted is kept in
# build/bench/scaling, so the same command goes on where an earlier one ended. Needs Debian's valgrind and Open MPI.
#   bench/scaling.sh
#   bench/scaling.sh --models chain --ranks 1 4 --weak-only
set -euo pipefail
. "$(dirname "$0")/start.sh"
command -v valgrind >/dev/null || { echo "bench/scaling.sh: needs Debian's valgrind" >&2; exit 1; }
export OMPI_MCA_mpi_yield_when_idle=1 OPENBLAS_NUM_THREADS=1
# Without "rep movsb" and "rep stosb", of which callgrind counts each byte as an instruction.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-ERMS,-FSRM
build=${BUILD:-build/release}
cmake --build "$build" --target step_window persistent_messages >/dev/null
python3 bench/scaling.py "$trammel" "$results" "$PWD/$build/bench" "$@"
