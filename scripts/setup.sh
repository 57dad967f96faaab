#!/usr/bin/env bash
# Installs what the build needs from Debian's packages. Says nothing where all is there.
set -euo pipefail

packages=(
  cmake ninja-build ccache lld pkg-config g++ git
  petsc-dev libpetsc-real-dev libopenmpi-dev openmpi-bin libsuitesparse-dev
  libeigen3-dev libboost-dev libboost-filesystem-dev libfmt-dev libspdlog-dev libyaml-cpp-dev libcli11-dev
  libvtk9-dev libdeflate-dev libhdf5-openmpi-dev
  libocct-foundation-dev libocct-modeling-data-dev libocct-modeling-algorithms-dev libocct-data-exchange-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14
  xvfb xauth libgl1-mesa-dri ffmpeg pngquant
  btrfs-progs
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
if ! { "${sudo[@]}" apt-get update && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "setup: apt-get failed, see $log" >&2
  exit 1
fi
rm -f "$log"
