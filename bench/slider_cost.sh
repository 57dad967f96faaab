#!/usr/bin/env bash
# What a slider costs on beams of 10 to 10,000 elements, on one rank and in one run: the same beam without a slider, with
# one that stays in its element, with one that crosses an element in every fifth step (a crossing solves the step again, one in eight
# lays out the matrix anew), and 100 sliders on 1,000 elements.
# Allowed: 1.05 of the time of the same beam without, and 20 us for each slider and iteration. The same beam has `bending: linear`, which it
# takes from its sliders; its default, constant, is shown too.
#   bench/slider_cost.sh          three runs of each, the fastest counts
set -euo pipefail
. "$(dirname "$0")/start.sh"

run() {  # run FILE [--set ...]: "milliseconds a step, iterations a step"
  local best= steps time iterations
  for _ in 1 2 3; do
    "$trammel" run "$1" -o "$results/out" "${@:2}" >"$results/log" 2>&1 || { cat "$results/log" >&2; exit 1; }
    read -r steps time iterations < <(awk '
      /steps [0-9]+, of them/ { steps = $2 + 0; for (i = 1; i < NF; i++) if ($i == "iterations") its = $(i + 1) + 0 }
      /wall time/ { for (i = 1; i < NF; i++) t[$i] = $(i + 1) + 0 }
      END { print steps, t["residual"] + t["tangent"] + t["assembly"] + t["factorization"] + t["solve"] + t["rest"], its / steps }' "$results/log")
    best=$(awk -v a="${best:-1e9}" -v b="$time" -v n="$steps" 'BEGIN { b *= 1000 / n; print a < b ? a : b }')
  done
  echo "$best $iterations"
}

grep -v "slide\.\|bead\." bench/sliders.yaml | sed 's/^  N: .*//' >"$results/plain.yaml"
sed 's/elements: n}/elements: n, bending: linear}/' "$results/plain.yaml" >"$results/linear.yaml"
echo "| elements | sliders | without, constant [ms] | without, linear [ms] | standing [ms] | allowed [ms] | iterations | crossing [ms] | iterations |"
echo "|---|---|---|---|---|---|---|---|---|"
for line in "10 1" "100 1" "1000 1" "10000 1" "1000 100"; do
  read -r n N <<<"$line"
  steps=$((n <= 100 ? 400 : n <= 1000 ? 200 : 20))
  read -r constant _ < <(run "$results/plain.yaml" --set n="$n" --set steps="$steps")
  read -r plain _ < <(run "$results/linear.yaml" --set n="$n" --set steps="$steps")
  read -r with its1 < <(run bench/sliders.yaml --set n="$n" --set N="$N" --set v=0.05 --set steps="$steps")
  cross="-"; its2="-"
  [ "$n" = 10 ] || read -r cross its2 < <(run bench/sliders.yaml --set n="$n" --set N="$N" --set v=20 --set steps="$((steps < 50 ? steps : 50))")
  awk -v n="$n" -v N="$N" -v k="$constant" -v a="$plain" -v b="$with" -v i="$its1" -v c="$cross" -v i2="$its2" 'BEGIN {
    printf "| %d | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %s | %s |\n", n, N, k, a, b, 1.05 * a + 0.02 * N * i, i, c, i2 }'
done
