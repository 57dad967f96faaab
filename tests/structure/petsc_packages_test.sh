#!/usr/bin/env bash
# petsc_packages_test.sh FIND_PETSC: a PETSc that lacks what Trammel needs is refused at configuration, with the reason. The
# installations here are empty but for what FindPETSc.cmake reads.
set -euo pipefail
find_petsc=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/arch/lib/pkgconfig" "$folder/arch/include"
touch "$folder/arch/include/petsc.h" "$folder/arch/lib/libpetsc.so"
cat >"$folder/arch/lib/pkgconfig/PETSc.pc" <<END
Name: PETSc
Description: nothing
Version: 3.18.5
Cflags: -I$folder/arch/include
Libs: -L$folder/arch/lib -lpetsc
END

# tells EXPECTED MACRO...: what configuration says of a PETSc with these macros.
tells() {
  local expected=$1 told
  shift
  printf '#define PETSC_%s 1\n' "$@" >"$folder/arch/include/petscconf.h"
  told=$(cmake "-DPETSC_DIR=$folder" -DPETSC_ARCH=arch -P "$find_petsc" 2>&1 | tr -s ' \n' ' ' || true)
  grep -qF "$expected" <<<"$told" || { echo "with $*, expected '$expected', found: $told"; exit 1; }
}

unset PETSC_DIR PETSC_ARCH
tells "Found PETSc: $folder/arch/lib/libpetsc.so" USE_REAL_DOUBLE HAVE_MUMPS HAVE_PTSCOTCH
tells "Found PETSc: $folder/arch/lib/libpetsc.so" USE_REAL_DOUBLE HAVE_MUMPS HAVE_PARMETIS
tells "does not fit: it has complex scalars." USE_COMPLEX USE_REAL_DOUBLE HAVE_MUMPS HAVE_PTSCOTCH
tells "does not fit: its scalars are not of double precision." USE_REAL_SINGLE HAVE_MUMPS HAVE_PTSCOTCH
tells "does not fit: it lacks MUMPS (configure it with --download-mumps" USE_REAL_DOUBLE HAVE_PTSCOTCH
tells "does not fit: it lacks PT-Scotch and ParMETIS (configure it with --download-ptscotch)" USE_REAL_DOUBLE HAVE_MUMPS
