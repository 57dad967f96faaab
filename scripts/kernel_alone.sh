#!/usr/bin/env bash
# Builds the kernel and its tests in a copy of the tree that has no other folder, and runs them. After a release build the
# compiler cache holds nearly all of it.
set -euo pipefail
cd "$(dirname "$0")/.." || exit 1
. ./scripts/environment.sh

copy=build/kernel_alone
rm -rf "$copy"
mkdir -p "$copy"
tar -cf - CMakeLists.txt CMakePresets.json LICENSE cmake scripts sdk kernel tests | tar -xf - -C "$copy"
cd "$copy"
cmake --preset release --log-level=WARNING -DTRAMMEL_DISCOVER_TESTS=OFF >/dev/null
cmake --build --preset release -- -j "$cores" --quiet
ctest --preset release -j "$cores" | tail -n 40
! ldd build/release/lib/libtrammel_kernel.so | grep -E "yaml-cpp|libvtk" || exit 1
