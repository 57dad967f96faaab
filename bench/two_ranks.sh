#!/usr/bin/env bash
# One rank beside two, and two with MUMPS: chains of rods, mechanisms that do not touch, a lattice. Runs alternate; the fastest of
# three counts. Times mean something only where two cores are idle: the share of the wall time that a rank had its core for is printed too
# (user and system time of all ranks over ranks times wall time; a rank that waits for another spins, and counts as busy).
#   bench/two_ranks.sh [chain_2000|chain_20000|separate|lattice]
set -euo pipefail
. "$(dirname "$0")/start.sh"
export OMPI_MCA_mpi_yield_when_idle=1

grep -v '^output' cases/chain/case.yaml >"$results/chain.yaml"
grep -v '^output' cases/lattice/case.yaml >"$results/lattice.yaml"
cat >"$results/separate.yaml" <<'CASE'
trammel: 1
title: Pendulums of ten rods each that do not touch
parameters: {M: 100, h: 0.001, until: 0.02}
bodies:
  rod.(i):
    for: {i: 1..10*M}
    type: rigid_body
    mass: 1
    inertia: [0.01, 1/12, 1/12]
    position: [i - 0.5, 0, 0]
    markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}
joints:
  hook.(k): {for: {k: 1..M}, type: spherical, between: [{on: ground, at: [10*(k-1), 0, 0]}, rod.(10*(k-1)+1).start]}
CASE
for j in 1 2 3 4 5 6 7 8 9; do
  echo "  pin$j.(k): {for: {k: 1..M}, type: spherical, between: [rod.(10*(k-1)+$j).end, rod.(10*(k-1)+$((j + 1))).start]}"
done >>"$results/separate.yaml"
cat >>"$results/separate.yaml" <<'CASE'
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
stages:
  - {type: dynamic, until: until, step: h, radius: 0.9}
CASE

run() {  # run NAME RANKS SOLVER CASE OPTIONS...: appends wall time, busy part and Newton iterations to a file
  local options=("${@:5}")
  [ "$3" = default ] || options+=(-pc_type lu -start_pc_type lu)
  local TIMEFORMAT='%R %U %S'
  { time mpirun -q --oversubscribe -n "$2" "$trammel" run "$4" -o "$results/out" "${options[@]}" >"$results/log" 2>&1; } \
    2>"$results/time" || { cat "$results/log" >&2; exit 1; }
  awk -v ranks="$2" 'FNR == NR { wall = $1; busy = ($2 + $3) / (ranks * $1); next }
    /done:/ { steps += $2; seconds = $NF == "s" ? $(NF - 1) : seconds; stage += seconds }
    /substructuring:/ { interface = $4 } /wall time/ { split($0, part, /[ ,]+/); for (i in part) { if (part[i] == "factorization") f = part[i + 1]; if (part[i] == "solve") s = part[i + 1] } }
    END { printf "%.2f %.2f %s %s %s\n", stage, busy, f, s, interface == "" ? "-" : interface }' "$results/time" "$results/log" \
    >>"$results/$1.$2.$3"
}

system() {  # system NAME CASE OPTIONS...
  [ -z "$only" ] || [ "$only" = "$1" ] || return 0
  local round ranks solver
  for round in 1 2 3; do
    run "$1" 1 default "${@:2}"
    run "$1" 2 default "${@:2}"
    [ "$round" != 1 ] || run "$1" 2 mumps "${@:2}"
  done
  for kind in 1.default 2.default 2.mumps; do
    ranks=${kind%.*} solver=${kind#*.}
    sort -g "$results/$1.$kind" | head -1 | awk -v name="$1" -v ranks="$ranks" -v solver="$solver" \
      '{ printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, ranks, solver, $5, $1, $3, $4, $2 }'
  done
}

only=${1:-}
echo "| system | ranks | solver | interface | stages [s] | factorization [s] | solves [s] | part of the time with a core |"
echo "|---|---|---|---|---|---|---|---|"
system chain_2000 "$results/chain.yaml" --set N=2000 --set h=1e-3 --set until=0.05
system chain_20000 "$results/chain.yaml" --set N=20000 --set h=1e-3 --set until=0.02
system separate "$results/separate.yaml"
system lattice "$results/lattice.yaml" --set n=20 --set h=4e-4 --set until=2.002
