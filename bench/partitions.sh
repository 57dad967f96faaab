#!/usr/bin/env bash
# What a rank holds of a large case, and how long reading takes, where every rank expands the whole case and where each
# expands its share: chains of N rods after one small step, largest and least memory of a process.
#   bench/partitions.sh [N ...]     20000 rods, or other numbers
set -euo pipefail
. "$(dirname "$0")/start.sh"
export OMPI_MCA_mpi_yield_when_idle=1

grep -v '^output' cases/chain/case.yaml >"$results/chain.yaml"
run() {  # run N RANKS SHARE_FROM: reading time, largest and least memory
  mpirun -q --oversubscribe -n "$2" "$trammel" run "$results/chain.yaml" -o "$results/out" --set N="$1" --set h=1e-3 \
    --set until=1e-3 -partition_from "$3" -memory_view >"$results/log" 2>&1 || { cat "$results/log" >&2; exit 1; }
  awk '/reading/ { for (i = 1; i < NF; i++) if ($i == "reading") reading = $(i + 1) }
    /Maximum \(over computational time\) process memory/ { for (i = 1; i < NF; i++) { if ($i == "max") max = $(i + 1); if ($i == "min") min = $(i + 1) } }
    END { printf "%.2f | %.0f | %.0f", reading, max / 1e6, min / 1e6 }' "$results/log"
}

echo "| rods | ranks | expands | reading [s] | largest [MB] | least [MB] |"
echo "|---|---|---|---|---|---|"
for N in "${@:-20000}"; do
  for ranks in 1 2 4; do
    echo "| $N | $ranks | whole | $(run "$N" "$ranks" 1000000000) |"
    [ "$ranks" = 1 ] || echo "| $N | $ranks | share | $(run "$N" "$ranks" 1) |"
  done
done
