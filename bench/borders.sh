#!/usr/bin/env bash
# What the borders of elements do to the force on a slider on a beam. It times nothing.
#   bench/borders.sh              all tables
#   bench/borders.sh places       the configurational force at a hundred places in one element, with the exact
#                                 N + N^2/2EA = M^2/2EI + P^2/2GA at the mouth, M the sleeve's reaction
#   bench/borders.sh statics      jumps at borders of a sleeve drawn along, between parabolas through three steps on each side
#   bench/borders.sh dynamics     a weight drawn along: what the force at a step differs by from the parabola through the three
#                                 steps before it, in the first four steps after a crossing, 20 steps later, elsewhere
set -euo pipefail
. "$(dirname "$0")/start.sh"

run() {  # run FILE BENDING [--set ...]
  sed "s/bending: linear/bending: $2/" "$1" >"$results/case.yaml"
  rm -rf "$results/out"
  "$trammel" run "$results/case.yaml" -o "$results/out" "${@:3}" >"$results/log" 2>&1 || { cat "$results/log" >&2; exit 1; }
}

# The columns of a history whose names begin so, a line a record.
columns() {  # columns SENSOR NAME...
  awk -F, -v names="$(IFS=';'; echo "${*:2}")" '
    NR == 1 { n = split(names, name, ";"); for (j = 1; j <= n; j++) for (i = 1; i <= NF; i++) if (!at[j] && index($i, name[j]) == 1) at[j] = i; next }
    { for (j = 1; j <= n; j++) printf "%s%s", $at[j], j < n ? "," : "\n" }' "$results/out/$1.csv"
}

order() { awk -v a="$1" -v b="$2" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", log(a / b) / log(2) }'; }

places() {
  echo "| elements | \`bending: linear\` | \`bending: constant\` |"
  echo "|---|---|---|"
  local n bending i
  for n in 4 10 20 40 80; do
    printf '| %d |' "$n"
    for bending in linear constant; do
      run cases/sleeve_mouth/many.yaml $bending --set n="$n" --set width="2/$n"
      for ((i = 1; i <= 100; i++)); do
        paste -d, <(columns "sleeve.$i" moment_world.z | tail -1) <(columns "root.$i" force_on_A_world.x | tail -1)
      done | awk -F, '{ true = $1 * $1 / 200 + 400 / 8e7; e = ($2 + $2 * $2 / 2e8) / true - 1; if (e < 0) e = -e; if (e > worst) worst = e }
        END { printf " %.2g |", worst }'
    done
    echo
  done
}

statics() {
  echo "| elements | bending | borders | jump of N_in [N] | order | of the moment [N m] | of the force [N] |"
  echo "|---|---|---|---|---|---|---|"
  local n bending last crossings N M F
  for bending in constant linear; do
    last=
    for n in 10 20 40 80; do
      run bench/mouth.yaml $bending --set n="$n"
      read -r crossings N M F < <(paste -d, <(columns sleeve time host arc_length moment_world.z force_world.y) \
        <(columns root force_on_A_world.x) | awk -F, -v l="$(awk "BEGIN { print 2 / $n }")" '
        function beyond(q, a, b, c, x,  y) {  # the parabola through three records, at x
          y = q[a] * (x - s[b]) * (x - s[c]) / ((s[a] - s[b]) * (s[a] - s[c]))
          y += q[b] * (x - s[a]) * (x - s[c]) / ((s[b] - s[a]) * (s[b] - s[c]))
          return y + q[c] * (x - s[a]) * (x - s[b]) / ((s[c] - s[a]) * (s[c] - s[b])) }
        function jump(q, k,  d) {
          d = beyond(q, k - 2, k - 1, k, h[k] * l) - beyond(q, k + 1, k + 2, k + 3, h[k] * l)
          return d < 0 ? -d : d }
        $1 >= 0 { m++; h[m] = $2; s[m] = $3; M[m] = $4; F[m] = $5; N[m] = $6 }
        END { for (k = 3; k + 3 <= m; k++) if (h[k + 1] > h[k]) { c++
                if (jump(N, k) > jN) jN = jump(N, k); if (jump(M, k) > jM) jM = jump(M, k); if (jump(F, k) > jF) jF = jump(F, k) }
              printf "%d %.2e %.1e %.1e\n", c, jN, jM, jF }')
      echo "| $n | $bending | $crossings | $N | $(order "${last:-0}" "$N") | $M | $F |"
      last=$N
    done
  done
}

dynamics() {
  echo "| elements | radius | damping [s] | crossings | at crossings [N] | order | 20 steps later | elsewhere |"
  echo "|---|---|---|---|---|---|---|---|"
  local n rho b last crossings near later away
  for options in "0.8 0" "1 0" "0.8 1e-3"; do
    read -r rho b <<<"$options"
    last=
    for n in 10 20 40 80; do
      run bench/trolley.yaml linear --set n="$n" --set rho="$rho" --set b="$b"
      read -r crossings near later away < <(columns wheels time host force_world.y | awk -F, '
        $1 >= 0 { m++; h[m] = $2; F[m] = $3 }
        END { for (k = 4; k <= m; k++) { d[k] = F[k] - 3 * F[k - 1] + 3 * F[k - 2] - F[k - 3]; if (d[k] < 0) d[k] = -d[k] }
              since = 1000
              for (k = 12; k <= m; k++) {  # the first steps are those of the start
                if (h[k] != h[k - 1]) { c++; since = 0 }
                if (since < 4 && d[k] > near) near = d[k]
                if (since >= 20 && since < 24 && d[k] > later) later = d[k]
                if (since >= 40 && d[k] > away) away = d[k]
                since++ }
              printf "%d %.2e %.2e %.2e\n", c, near, later, away }')
      echo "| $n | $rho | $b | $crossings | $near | $(order "${last:-0}" "$near") | $later | $away |"
      last=$near
    done
  done
}

for table in ${1:-places statics dynamics}; do
  $table
  echo
done
