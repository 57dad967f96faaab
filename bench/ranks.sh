#!/usr/bin/env bash
# The same answer on 1, 2 and 4 ranks, with Newton's tolerance at 1e-12: largest difference of any history from that of
# one rank, as a part of the quantity's range over all sensors (energies are one quantity, and so are a vector's
# components), accelerations apart; and as a part of the sensor's own range, which rounding alone may make up (a rod that
# falls freely has constant acceleration). Largest partition of a rank (unknowns that it owns or sees) against
# 1.2 N/P + 2000.
# What a slider reports that may be zero by nature (gap, thrust, section forces) is a part of the range of positions, forces
# and moments.
#   bench/ranks.sh            four-bar, lattice, chain, and sliders that cross from rank to rank
#   bench/ranks.sh lattice    one of them
#   RANKS="2 4 8" bench/ranks.sh    on these numbers of ranks beside one
set -euo pipefail
. "$(dirname "$0")/start.sh"
export OMPI_MCA_mpi_yield_when_idle=1

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
        if (first == 2) { q = name[i]; sub(/\.[xyzw]( |$)/, " ", q); if (q ~ /\[J\]/) q = "energy"
          sub(/^gap /, "position ", q); sub(/^thrust /, "force ", q)
          sub(/^arc_length_acceleration/, "acceleration", q)
          sub(/^section_force_[a-z]*\..*/, "force [N]", q); sub(/^section_moment_[a-z]*\..*/, "moment [N m]", q)
          quantity[c] = q; low[c] = high[c] = $i; gap[c] = 0 }
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
        if (r > 0) printf "own %.2g %s of %s\n", gap[c] / r, part[2], part[1]
        if (widest[q] > 0) printf "all %.2g %s of %s\n", gap[c] / widest[q], part[2], part[1] }
    }' | sort -k2 -g -r
}

system() {  # system NAME CASE OPTIONS...
  local name=$1 file=$2 ranks
  [ -z "$only" ] || [ "$only" = "$name" ] || return 0
  for ranks in 1 $ranks_tried; do
    mpirun -q --oversubscribe -n "$ranks" "$trammel" run "$file" -o "$results/$name.$ranks" \
      --set tolerance=1e-12 --set frames=1000000 "${@:3}" >"$results/log" 2>&1 || { cat "$results/log"; exit 1; }
    local unknowns share
    unknowns=$(awk '/^  unknowns/ { print $2 }' "$results/log")
    share=$(awk '/largest partition of a rank/ { print $6 }' "$results/log")
    if [ "$ranks" = 1 ]; then
      echo "| $name | 1 | $unknowns | | | | | |"
    else
      differences "$results/$name.1" "$results/$name.$ranks" >"$results/differences"
      worst() { awk "$1"' { print substr($0, 5); exit }' "$results/differences"; }
      echo "| $name | $ranks | $unknowns | $share | $((unknowns * 12 / 10 / ranks + 2000)) |" \
        "$(worst '/^all/ && !/acceleration/') | $(worst '/^all.*acceleration/') | $(worst /^own/) |"
    fi
  done
}

only=${1:-}
ranks_tried=${RANKS:-2 4}
echo "| system | ranks | unknowns | largest partition | 1.2 N/P + 2000 | largest difference | of accelerations | of the channel's own range |"
echo "|---|---|---|---|---|---|---|---|"
system four_bar cases/four_bar_x/case.yaml
system lattice cases/lattice/case.yaml --set n=16 --set h=0.0004 --set until=2.04
system chain cases/chain/case.yaml --set N=100 --set h=0.01 --set until=0.5
system chain_1000 cases/chain/case.yaml --set N=1000 --set h=0.01 --set until=0.5
system chain_shares cases/chain/case.yaml --set N=100 --set h=0.01 --set until=0.5 -partition_from 1
system lattice_shares cases/lattice/case.yaml --set n=16 --set h=0.0004 --set until=2.04 -partition_from 1
system bead cases/sliding_bead/case.yaml --set h=0.004 --set rho=0.6
system train bench/train.yaml
system spaghetti cases/spaghetti/case.yaml --set h=0.002
system mast cases/telescopic_mast/case.yaml --set static=1e-12 --set h=0.008
system crane cases/slewing_crane/case.yaml --set h=0.02
