#!/usr/bin/env bash
# Does cmake/FindPETSc.cmake find Debian's PETSc, and refuse a PETSC_DIR without PETSc and the headers of another MPI library?
#   find_petsc_test.sh SOURCES
set -euo pipefail
sources=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/project" "$scratch/mpich"
echo '#define MPICH_NUMVERSION 40002300' >"$scratch/mpich/mpi.h"
cat >"$scratch/project/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(Sought LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH "$sources/cmake")
find_package(MPI REQUIRED COMPONENTS C)
if(OTHER_MPI)
  set(MPI_C_HEADER_DIR "\${OTHER_MPI}")
endif()
find_package(PETSc 3.18 REQUIRED)
EOF
unset PETSC_DIR PETSC_ARCH

# configure SHOULD_PASS TEXT OPTION...
configure() {
  local passes=$1 text=$2
  shift 2
  rm -rf "$scratch/build"
  if cmake -S "$scratch/project" -B "$scratch/build" "$@" >"$scratch/log" 2>&1; then local passed=yes; else local passed=no; fi
  if [ $passed != "$passes" ] || ! tr -s ' \n' ' ' <"$scratch/log" | grep -q "$text"; then
    cat "$scratch/log"
    echo "find_petsc_test.sh: with '$*': passed is $passed, and '$text' was expected"
    exit 1
  fi
}

configure yes 'Found PETSc'
configure no 'PETSC_DIR names no PETSc: .*nowhere/opt/lib/pkgconfig' -DPETSC_DIR=/nowhere -DPETSC_ARCH=opt
configure no 'was built with Open MPI, and .*mpich is of another MPI library' -DOTHER_MPI="$scratch/mpich"
echo 'FindPETSc: 3 configurations as expected'
