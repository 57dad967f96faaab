#!/usr/bin/env bash
# Unpacks ParaView with its Python module into build/paraview, for the test that opens what a run records. Debian's
# python3-paraview conflicts with a package of VTK that the build needs, so nothing is installed; no root rights are needed
# where apt knows the packages. Says nothing where it is there. Some 80 MB are fetched; unpacked they take 530 MB.
set -euo pipefail
cd "$(dirname "$0")/.."

# The packages that setup.sh installs bring all other libraries.
packages=(paraview python3-paraview python3-numpy libqt5help5 libqt5opengl5 libqt5sql5)
folder=build/paraview
[ -e "$folder/complete" ] && exit 0

echo "paraview: unpacking ${packages[*]}"
rm -rf "$folder"
mkdir -p "$folder/packages"
fetch() { (cd "$folder/packages" && apt-get -o APT::Sandbox::User=root download "${packages[@]}"); }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! fetch >"$log" 2>&1; then
  # The lists of packages may be missing or old.
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  if ! { "${sudo[@]}" apt-get update && fetch; } >"$log" 2>&1; then
    tail -n 10 "$log" >&2
    echo "paraview: apt-get failed" >&2
    exit 1
  fi
fi
for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder"; done
rm -rf "$folder/packages"
touch "$folder/complete"
