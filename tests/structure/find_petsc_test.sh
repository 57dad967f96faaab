#!/usr/bin/env bash
# Does cmake/FindPETSc.cmake find Debian's PETSc, and refuse a PETSC_DIR without PETSc, the headers of another MPI library, and a PETSc
# that lacks what Trammel needs, with the reason?
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

# Installations of PETSc that are empty but for what FindPETSc.cmake reads.
mkdir -p "$scratch/arch/lib/pkgconfig" "$scratch/arch/include"
touch "$scratch/arch/include/petsc.h" "$scratch/arch/lib/libpetsc.so"
cat >"$scratch/arch/lib/pkgconfig/PETSc.pc" <<EOF
Name: PETSc
Description: nothing
Version: 3.18.5
Cflags: -I$scratch/arch/include
Libs: -L$scratch/arch/lib -lpetsc
EOF

# tells EXPECTED MACRO...: what configuration says of a PETSc with these macros.
tells() {
  local expected=$1 told
  shift
  printf '#define PETSC_%s 1\n' "$@" >"$scratch/arch/include/petscconf.h"
  told=$(cmake "-DPETSC_DIR=$scratch" -DPETSC_ARCH=arch -P "$sources/cmake/FindPETSc.cmake" 2>&1 | tr -s ' \n' ' ' || true)
  grep -qF "$expected" <<<"$told" || { echo "with $*, expected '$expected', found: $told"; exit 1; }
}

tells "Found PETSc: $scratch/arch/lib/libpetsc.so" USE_REAL_DOUBLE HAVE_MUMPS HAVE_PTSCOTCH
tells "Found PETSc: $scratch/arch/lib/libpetsc.so" USE_REAL_DOUBLE HAVE_MUMPS HAVE_PARMETIS
tells "does not fit: it has complex scalars." USE_COMPLEX USE_REAL_DOUBLE HAVE_MUMPS HAVE_PTSCOTCH
tells "does not fit: its scalars are not of double precision." USE_REAL_SINGLE HAVE_MUMPS HAVE_PTSCOTCH
tells "does not fit: it lacks MUMPS (configure it with --download-mumps" USE_REAL_DOUBLE HAVE_PTSCOTCH
tells "does not fit: it lacks PT-Scotch and ParMETIS (configure it with --download-ptscotch)" USE_REAL_DOUBLE HAVE_MUMPS

# PT-Scotch's header lies where PETSc says that it found it.
mkdir -p "$scratch/arch/lib/petsc/conf" "$scratch/scotch"
echo "PTSCOTCH_INCLUDE = -I$scratch/scotch -I/elsewhere" >"$scratch/arch/lib/petsc/conf/petscvariables"
for integers in int int32_t int64_t; do
  echo "typedef $integers SCOTCH_Num;" >"$scratch/scotch/scotch.h"
  expected="does not fit: its indices have 64 bits, and the integers of its PT-Scotch 32 ($scratch/scotch/scotch.h"
  [ $integers != int64_t ] || expected="Found PETSc: $scratch/arch/lib/libpetsc.so"
  tells "$expected" USE_REAL_DOUBLE USE_64BIT_INDICES HAVE_MUMPS HAVE_PTSCOTCH
  [ $integers = int64_t ] || tells "Found PETSc: $scratch/arch/lib/libpetsc.so" USE_REAL_DOUBLE HAVE_MUMPS HAVE_PTSCOTCH
done
echo 'FindPETSc: 14 configurations as expected'
