#!/usr/bin/env bash
# What it costs that a joint becomes inactive, or active again: a chain of 1,000 rods, in which one joint does so at the end of
# every step, against the same chain in which it never does. In U, the cost of one numeric factorization and one solve of
# the chain's matrix by KLU; for runs of 200 and of 2,000 events, so that growth shows, in time or in memory.
#   bench/events.sh
set -euo pipefail
. "$(dirname "$0")/start.sh"

run() {  # run STEPS SWITCHES: "seconds events U megabytes"
  /usr/bin/time -f "%M" -o "$results/memory" "$trammel" run bench/latch.yaml -o "$results/out" --set steps="$1" \
    --set switches="$2" -pc_factor_mat_solver_type klu >"$results/log" 2>&1 || { cat "$results/log" >&2; exit 1; }
  awk -v memory="$(tail -1 "$results/memory")" '
    / from now on/ { events += 1 }
    /steps [0-9]+, of them/ { for (i = 1; i < NF; i++) { if ($i == "iterations") its = $(i + 1) + 0; if ($i == "factorizations") facts = $(i + 1) + 0 } }
    /wall time/ { for (i = 1; i < NF; i++) t[$i] = $(i + 1) + 0 }
    END { print t["residual"] + t["tangent"] + t["assembly"] + t["factorization"] + t["solve"] + t["rest"], events + 0,
      t["factorization"] / facts + t["solve"] / its, memory / 1024 }' "$results/log"
}

echo "| steps | events | an event [U] | without any: a step [U] | memory [MB] | without any |"
echo "|---|---|---|---|---|---|"
for steps in 200 2000; do
  read -r plain _ U_plain memory_plain < <(run "$steps" 0)
  read -r with events U memory < <(run "$steps" 1)
  awk -v n="$steps" -v p="$plain" -v w="$with" -v e="$events" -v U="$U_plain" -v m="$memory" -v mp="$memory_plain" 'BEGIN {
    printf "| %d | %d | %.2f | %.2f | %.0f | %.0f |\n", n, e, (w - p) / e / U, p / n / U, m, mp }'
done
