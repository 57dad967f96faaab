#!/usr/bin/env bash
# Builds the kernel and its tests in a copy of the tree that has no other folder, with clang, and runs them.
set -euo pipefail
cd "$(dirname "$0")/.." || exit 1
. ./scripts/environment.sh

copy=build/kernel_alone
rm -rf "$copy/source"
mkdir -p "$copy/source"
tar -cf - CMakeLists.txt CMakePresets.json LICENSE cmake scripts kernel tests | tar -xf - -C "$copy/source"
cmake -G Ninja -S "$copy/source" -B "$copy/build" --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DTRAMMEL_WERROR=ON -DTRAMMEL_DISCOVER_TESTS=OFF \
  -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 >/dev/null
cmake --build "$copy/build" -- -j "$cores" --quiet
ctest --test-dir "$copy/build" -j "$cores" --output-on-failure | tail -n 40
! ldd "$copy/build/lib/libtrammel_kernel.so" | grep -E "yaml-cpp|libvtk" || exit 1
