#!/usr/bin/env bash
# The same answer on 1, 2 and 4 ranks: largest difference of any history from that of one rank, as a part of its
# channel's range, with Newton's tolerance at 1e-12; and the largest share of a rank (unknowns that it owns or sees)
# against 1.2 N/P + 2000. Components of a vector share the largest range among them; a channel that only rounding moves
# (1e-9 of the quantity's range elsewhere in the model) is measured by that range.
#   bench/ranks.sh            four-bar, lattice, chain
#   bench/ranks.sh lattice    one of them
set -euo pipefail
cd "$(dirname "$0")/.."
. ./scripts/environment.sh
export OMPI_MCA_mpi_yield_when_idle=1
trammel=${BUILD:-build/release}/bin/trammel
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

differences() {  # differences FOLDER FOLDER: part of the range and channel, a line each
  local file
  for file in "$1"/*.csv; do
    case $file in *_entities.csv) continue ;; esac
    echo "history $(basename "$file" .csv)"
    paste -d, "$file" "$2/$(basename "$file")"
  done | awk -F, '
    /^history / { file = substr($0, 9); first = 1; next }
    first == 1 { n = NF / 2; for (i = 2; i <= n; i++) name[i] = $i; first = 2; next }
    { for (i = 2; i <= n; i++) {
        c = file SUBSEP name[i]
        if (first == 2) { q = name[i]; sub(/\.[xyzw]( |$)/, " ", q); quantity[c] = q; low[c] = high[c] = $i; gap[c] = 0 }
        if ($i < low[c]) low[c] = $i
        if ($i > high[c]) high[c] = $i
        d = $i - $(i + n); if (d < 0) d = -d
        if (d > gap[c]) gap[c] = d }
      first = 0 }
    END {
      for (c in gap) {
        split(c, part, SUBSEP); r = high[c] - low[c]; v = part[1] SUBSEP quantity[c]
        if (r > range[v]) range[v] = r
        if (r > widest[quantity[c]]) widest[quantity[c]] = r }
      for (c in gap) {
        split(c, part, SUBSEP); q = quantity[c]; r = range[part[1] SUBSEP q]
        if (r < 1e-9 * widest[q]) r = widest[q]  # only rounding moves it
        if (r > 0) printf "%.2g %s of %s\n", gap[c] / r, part[2], part[1] }
    }' | sort -g -r
}

system() {  # system NAME CASE OPTIONS...
  local name=$1 file=$2 ranks
  [ -z "$only" ] || [ "$only" = "$name" ] || return 0
  for ranks in 1 2 4; do
    mpirun -q --oversubscribe -n "$ranks" "$trammel" run "$file" -o "$results/$name.$ranks" \
      --set tolerance=1e-12 --set frames=1000000 "${@:3}" >"$results/log" 2>&1 || { cat "$results/log"; exit 1; }
    local unknowns share
    unknowns=$(awk '/^  unknowns/ { print $2 }' "$results/log")
    share=$(awk '/largest share of a rank/ { print $6 }' "$results/log")
    if [ "$ranks" = 1 ]; then
      echo "| $name | 1 | $unknowns | | | | |"
    else
      differences "$results/$name.1" "$results/$name.$ranks" >"$results/differences"
      echo "| $name | $ranks | $unknowns | $share | $((unknowns * 12 / 10 / ranks + 2000)) |" \
        "$(grep -v acceleration "$results/differences" | head -n 1) | $(grep acceleration "$results/differences" | head -n 1) |"
    fi
  done
}

only=${1:-}
echo "| system | ranks | unknowns | largest share | 1.2 N/P + 2000 | largest difference, part of the range | of accelerations |"
echo "|---|---|---|---|---|---|---|"
system four_bar cases/four_bar_x/case.yaml
system lattice cases/lattice/case.yaml --set n=16 --set until=2.01
system chain cases/chain/case.yaml --set N=1000 --set until=0.1
