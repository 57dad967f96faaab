#!/usr/bin/env bash
# Instructions of one evaluation of contacts beside a revolute joint's, of a review of a step, and of a walk of the trees in
# a search over surfaces of 800 patches. Needs valgrind and bench/contact_cost of the build folder; some two minutes.
#   bench/contact_cost.sh [BUILD FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release}/bench/contact_cost
[ -x "$program" ] || { echo "bench/contact_cost.sh: no $program; build the target contact_cost" >&2; exit 1; }

# Instructions of one repetition: the difference of two runs, so that the start does not count.
count() {
  local few=$1 many=$2
  shift 2
  for n in "$few" "$many"; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" "$n" 2>&1 >/dev/null |
      sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
  done | { read -r a; read -r b; echo $(((b - a) / (many - few))); }
}

echo "| joint | residual | by a revolute's | with tangent | by a revolute's | review | begin, with a walk |"
echo "|---|---|---|---|---|---|---|"
for row in revolute clearance_revolute parameters sliding_plane parameters_800 sliding_plane_800; do
  residual=$(count 100 600 $row residual)
  tangent=$(count 100 600 $row tangent)
  review=$(count 100 600 $row review)
  begin=$(count 2 12 $row begin)
  [ $row = revolute ] && r=$residual t=$tangent
  awk -v n=$row -v a="$residual" -v b="$tangent" -v c="$review" -v d="$begin" -v r="$r" -v t="$t" \
    'BEGIN { printf "| %s | %d | %.1f | %d | %.1f | %d | %d |\n", n, a, a / r, b, b / t, c, d }'
done
