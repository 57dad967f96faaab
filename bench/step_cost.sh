#!/usr/bin/env bash
# Where a step's time goes, on one rank: milliseconds a step by phase, and U, the cost of one numeric factorization and
# one solve by KLU of the same matrix as PETSc calls it, in a second run right after. `evaluation` is residual, tangent and
# assembly by iteration in U; `own U` is what a factorization and a solve cost in the first run.
#   bench/step_cost.sh            all systems
#   bench/step_cost.sh quick      the small ones
set -euo pipefail
. "$(dirname "$0")/start.sh"

row() {  # row NAME CASE OPTIONS...
  local name=$1 file=$2
  local u
  "$trammel" run "$file" -o "$results/$name" "${@:3}" >"$results/log" 2>&1 || { cat "$results/log"; exit 1; }
  "$trammel" run "$file" -o "$results/$name" "${@:3}" -pc_factor_mat_solver_type klu >"$results/plain" 2>&1 ||
    { cat "$results/plain"; exit 1; }
  u=$(awk '
    /steps [0-9]+, of them/ { for (i = 1; i < NF; i++) { if ($i == "iterations") its = $(i + 1) + 0; if ($i == "factorizations") facts = $(i + 1) + 0 } }
    /wall time/ { for (i = 1; i < NF; i++) t[$i] = $(i + 1) + 0 }
    END { print t["factorization"] / facts + t["solve"] / its }' "$results/plain")
  awk -v name="$name" -v U="$u" '
    /steps [0-9]+, of them/ { steps = $2 + 0; for (i = 1; i < NF; i++) { if ($i == "iterations") its = $(i + 1) + 0; if ($i == "factorizations") facts = $(i + 1) + 0 } }
    /wall time/ { for (i = 1; i < NF; i++) t[$i] = $(i + 1) + 0 }
    END {
      own = t["factorization"] / facts + t["solve"] / its
      evaluation = (t["residual"] + t["tangent"] + t["assembly"]) / its
      total = t["residual"] + t["tangent"] + t["assembly"] + t["factorization"] + t["solve"] + t["rest"]
      m = 1000 / steps
      printf "| %s | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g | %.2f | %.2f | %.2f |\n", name, total * m,
        t["residual"] * m, t["tangent"] * m, t["assembly"] * m, t["factorization"] * m, t["solve"] * m, t["rest"] * m,
        t["output"] * m, 1000 * own, 1000 * U, evaluation / U, its / steps, facts / steps
    }' "$results/log"
}

echo "| system | step [ms] | residual | tangent | assembly | factorization | solve | rest | output, not in step | own U [ms] | U [ms] | evaluation [U] | iterations a step | factorizations a step |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
row chain_100 cases/chain/case.yaml --set N=100 --set frames=1000
row chain_1000 cases/chain/case.yaml --set N=1000 --set frames=1000
row revolute_chain_1000 cases/chain/revolute.yaml --set N=1000 --set frames=1000
row four_bar cases/four_bar_x/case.yaml --set frames=10000 --set h=0.001
row flying_beam_20 cases/flying_beam/case.yaml --set n=20 --set h=0.001 --set frames=100000
if [ "${1:-}" != quick ]; then
  row chain_10000 cases/chain/case.yaml --set N=10000 --set frames=1000 --set until=0.05
  row flying_beam_1000 cases/flying_beam/case.yaml --set n=1000 --set h=0.001 --set until=0.5 --set frames=100000
fi
