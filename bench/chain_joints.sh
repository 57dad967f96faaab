#!/usr/bin/env bash
# The chain of 100 rods on each kind of joint, on one rank and in one run: unknowns, milliseconds a step, and the ratio
# to the chain on spherical joints. The fastest of three runs of each counts.
set -euo pipefail
. "$(dirname "$0")/start.sh"
spherical=

row() {  # row NAME JOINT: the joint as a case writes it, from `type` on
  sed "s/type: revolute, axis: \[0, 0, 1\]/$2/" cases/chain/revolute.yaml >"$results/chain.yaml"
  local best= unknowns steps
  for _ in 1 2 3; do
    "$trammel" run "$results/chain.yaml" -o "$results/out" --set N=100 --set frames=100000 >"$results/log" 2>&1 ||
      { cat "$results/log"; exit 1; }
    read -r unknowns steps time iterations < <(awk '
      $1 == "unknowns" { unknowns = $2 }
      /steps [0-9]+, of them/ { steps = $2 + 0; for (i = 1; i < NF; i++) if ($i == "iterations") its = $(i + 1) + 0 }
      /wall time/ { for (i = 1; i < NF; i++) t[$i] = $(i + 1) + 0 }
      END { print unknowns, steps, t["residual"] + t["tangent"] + t["assembly"] + t["factorization"] + t["solve"] + t["rest"], its / steps }' "$results/log")
    best=$(awk -v a="${best:-1e9}" -v b="$time" 'BEGIN { print a < b ? a : b }')
  done
  spherical=${spherical:-$best}
  awk -v name="$1" -v u="$unknowns" -v t="$best" -v n="$steps" -v s="$spherical" -v its="$iterations" \
    'BEGIN { printf "| %s | %d | %.3f | %.2f | %.2f |\n", name, u, 1000 * t / n, its, t / s }'
}

echo "| joint | unknowns | step [ms] | iterations a step | against spherical |"
echo "|---|---|---|---|---|"
row spherical "type: spherical"
row revolute "type: revolute, axis: [0, 0, 1]"
row "revolute, \`coordinate: no\`" "type: revolute, axis: [0, 0, 1], coordinate: no"
row prismatic "type: prismatic, axis: [0, 1, 0]"
row cylindrical "type: cylindrical, axis: [0, 1, 0]"
row "cylindrical, about z" "type: cylindrical, axis: [0, 0, 1]"
row screw "type: screw, axis: [0, 0, 1], pitch: 0.01"
row planar "type: planar, axis: [0, 0, 1]"
row universal "type: universal, bars: [[0, 0, 1], [0, 1, 0]]"
row constant_velocity "type: constant_velocity, axis: [1, 0, 0]"
row "generic, as spherical" "type: generic, constrained: [1, 1, 1, 0, 0, 0]"
row "generic, as revolute" "type: generic, constrained: [1, 1, 1, 1, 1, 0]"
