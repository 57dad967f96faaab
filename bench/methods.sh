#!/usr/bin/env bash
# Error against work of the methods of dynamic stages: Radau IIA and generalized-alpha (projected, radius 0.9), on the double pendulum and
# the flying beam. Errors of a position at the end against Radau IIA with a much finer step; work in instructions of the steps (callgrind,
# less those of a run of one step), which a loaded machine does not change.
#   bench/methods.sh
set -euo pipefail
. "$(dirname "$0")/start.sh"

end_of() {  # end_of FOLDER/HISTORY
  tail -1 "$1" | cut -d, -f2-4
}
instructions() {  # instructions CASE OPTIONS...
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$trammel" run "$1" -q -o "$results/counted" "${@:2}" 2>&1 |
    awk '/Collected/ { print $NF }'
}
row() {  # row NAME HISTORY UNTIL REFERENCE METHOD H...
  local name=$1 history=$2 until=$3 exact=$4 method=$5 h
  local file="$results/$name.yaml" keys='method: radau'
  [ "$method" = radau ] || keys='radius: 0.9, form: projected'
  sed -E "/type: dynamic/{s/radius: *[0-9.]+/$keys/; s/until: *[a-z0-9.]+/until: $until/; s/tolerance: *[a-z0-9-]+/tolerance: 1e-9/}; /vtk:/d" \
    "cases/$name/case.yaml" >"$file"
  local once all
  sed "s/until: $until,/until: $6,/" "$file" >"$results/once.yaml"
  once=$(instructions "$results/once.yaml" --set h="$6")
  for h in "${@:6}"; do
    "$trammel" run "$file" -o "$results/$name" --set h="$h" >"$results/log" 2>&1 || { cat "$results/log"; exit 1; }
    all=$(instructions "$file" --set h="$h")
    awk -v a="$(end_of "$results/$name/$history")" -v b="$exact" -v name="$name" -v method="$method" -v h="$h" \
      -v work="$((all - once))" '
      /steps [0-9]+, of them/ { steps = $2 + 0; for (i = 1; i < NF; i++) { if ($i == "iterations") its = $(i + 1) + 0; if ($i == "factorizations") facts = $(i + 1) + 0 } }
      END {
        split(a, x, ","); split(b, y, ",")
        for (i = 1; i <= 3; i++) square += (x[i] - y[i]) ^ 2
        printf "| %s | %s | %g | %.2g | %.2f | %.2f | %.3g |\n", name, method, h, sqrt(square), its / steps, facts / steps, work / 1e6
      }' "$results/log"
  done
}
reference() {  # reference NAME HISTORY UNTIL H
  sed -E "/type: dynamic/{s/radius: *[0-9.]+/method: radau/; s/until: *[a-z0-9.]+/until: $3/; s/tolerance: *[a-z0-9-]+/tolerance: 1e-11/}; /vtk:/d" \
    "cases/$1/case.yaml" >"$results/reference.yaml"
  "$trammel" run "$results/reference.yaml" -q -o "$results/reference" --set h="$4"
  end_of "$results/reference/$2"
}

echo "| system | method | h [s] | error [m] | iterations a step | factorizations a step | instructions of the steps [1e6] |"
echo "|---|---|---|---|---|---|---|"
exact=$(reference double_pendulum tip.csv 1.5 0.000625)
row double_pendulum tip.csv 1.5 "$exact" radau 0.02 0.01 0.005
row double_pendulum tip.csv 1.5 "$exact" generalized_alpha 0.005 0.0025 0.00125
exact=$(reference flying_beam upper.csv 3 0.0025)
row flying_beam upper.csv 3 "$exact" radau 0.2 0.1 0.05
row flying_beam upper.csv 3 "$exact" generalized_alpha 0.05 0.025 0.0125
