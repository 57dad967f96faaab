#!/usr/bin/env bash
# Instructions that a step takes in six small cases, by part of the program, beside those of bench/counts.json. Exit status 1, and
# the functions at fault, where a part's bookkeeping rose by more than 3 %. Needs valgrind; some two minutes.
#   bench/counts.sh           compares
#   bench/counts.sh write     puts today's counts into bench/counts.json
#   bench/counts.sh compare four-bar    the cases whose names hold these words
set -euo pipefail
. "$(dirname "$0")/start.sh"
command -v callgrind_annotate >/dev/null || { echo "bench/counts.sh: needs Debian's valgrind" >&2; exit 1; }
# What libraries choose by the processor is pinned, so counts of two machines can be compared.
export OPENBLAS_CORETYPE=Haswell OPENBLAS_NUM_THREADS=1
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2_Usable,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM
python3 bench/counts.py "$trammel" "$results" bench/counts.json "${@:-compare}"
