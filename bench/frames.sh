#!/usr/bin/env bash
# What a frame of some 10,000 beam elements takes: its bytes at some steps, and the CPU time of the threads that draw and write it,
# by the difference of a run with a frame at each of 40 steps and one with the first and the last.
#
#   ./bench/frames.sh
set -euo pipefail
. "$(dirname "$0")/start.sh"

# Moving lattices and beams: 40 steps each.
sed -e 's/until: 0.001/until: 40*h/' -e 's/^  h: /  frames: 1\n  h: /' bench/lattice.yaml >"$results/pulled.yaml"
echo 'output: {vtk: {every: frames}}' >>"$results/pulled.yaml"
grep -v -e 'clamp' -e 'pull:' "$results/pulled.yaml" >"$results/falling.yaml"
sed 's/until: 0.021/until: 0.04/' bench/wire.yaml >"$results/clamped.yaml"
grep -v -e 'clamp' -e '^joints' "$results/clamped.yaml" |
  sed 's/up: \[0, 0, 1\]}/up: [0, 0, 1], velocity: [1, 0, 2], angular_velocity: [3, 5, 4]}/' >"$results/flying.yaml"

cpu_seconds() {
  local TIMEFORMAT='%U %S'
  { time "$trammel" run "$@" >"$results/log" 2>&1; } 2>&1 | awk '{print $1 + $2}'
}

echo '| 40 steps of | bytes of the frame at step 2 [MB] | 10 | 20 | 37 | largest | CPU time of a frame [ms] |'
echo '|---|---|---|---|---|---|---|'
while IFS='|' read -r title case settings; do
  read -ra set <<<"$settings"
  all=$(cpu_seconds "$results/$case.yaml" -q -o "$results/$case" "${set[@]}" --set frames=1)
  row="| $title |"
  for step in 2 10 20 37; do
    bytes=$(cat "$results/$case/${case}_vtk/$(printf %06d $step)"_*.vtp | wc -c)
    row+=$(awk "BEGIN {printf \" %.2f |\", $bytes / 1e6}")
  done
  largest=$(for step in $(seq -f %06g 0 40); do cat "$results/$case/${case}_vtk/$step"_*.vtp | wc -c; done | sort -n | tail -1)
  none=$(cpu_seconds "$results/$case.yaml" -q -o "$results/$case" "${set[@]}" --set frames=40)
  echo "$row$(awk "BEGIN {printf \" %.2f | %.0f |\", $largest / 1e6, ($all - $none) / 39 * 1e3}")"
done <<'EOT'
lattice of 9,720 elements, clamped and pulled|pulled|--set n=40 --set m=3
the same, falling freely|falling|--set n=40 --set m=3
beam of 10,000 elements, clamped, 40 mm wide|clamped|--set d=0.04
the same, 7 mm|clamped|--set d=0.007
the same, 2.5 mm|clamped|--set d=0.0025
the same, 1.5 mm|clamped|--set d=0.0015
beam of 10,000 elements, 20 mm wide, in free flight|flying|--set d=0.02
EOT
