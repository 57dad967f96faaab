#!/usr/bin/env bash
# From a fresh clone to a picture: installs, builds, runs the four-bar with a tilted hinge, renders it.
set -euo pipefail
cd "$(dirname "$0")/.." || exit 1
case_file=${1:-cases/four_bar_x/case.yaml}
results=results/$(basename "$(dirname "$case_file")")

./scripts/setup.sh
. ./scripts/environment.sh
cmake --preset release --log-level=WARNING >/dev/null
quiet=(--quiet)
[ -t 1 ] && quiet=()
echo "Building Trammel; the first time takes some minutes."
cmake --build --preset release --target runtime -- -j "$cores" "${quiet[@]}"

bin=$PWD/build/release/bin
command=("$bin/trammel" run "$case_file" -o "$results")
[ "$cores" -ge 2 ] && command=(mpirun -q -n 2 "${command[@]}")
echo "\$ ${command[*]/#$PWD\//}"
"${command[@]}"

if [ -x "$bin/trammel-render" ]; then
  "$bin/trammel-render" "$results" -o "$results/picture.png"
  echo "Picture:  $PWD/$results/picture.png"
fi
for view in "$results"/*_paraview.py "$results"/*.pvd; do
  if [ -e "$view" ]; then
    echo "ParaView: $PWD/$view"
    break
  fi
done
