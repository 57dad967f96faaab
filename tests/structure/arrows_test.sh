#!/usr/bin/env bash
# arrows_test.sh ARROWS SOURCE_FOLDER: the script must name each of these lines.
set -euo pipefail
arrows=$1 source=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for folder in sdk kernel solvers io app elements plugins; do
  if [ -d "$source/$folder" ]; then cp -r "$source/$folder" "$copy/"; fi
done

finds() {  # finds FILE INCLUDE
  mkdir -p "$(dirname "$copy/$1")"
  echo "#include $2" >"$copy/$1"
  if found=$("$arrows" "$copy"); then echo "an include of $2 in $1 went unnoticed"; exit 1; fi
  grep -qF "$1:1:" <<<"$found" || { echo "expected $1 to be named, found: $found"; exit 1; }
  rm "$copy/$1"
}

"$arrows" "$copy" >/dev/null
finds plugins/new_joint/new_joint.cpp '"kernel/model.hpp"'
finds elements/new_element/part.hpp '<petscmat.h>'
finds sdk/include/trammel/new_header.hpp '<mpi.h>'
finds sdk/src/new_source.cpp '"trammel/element_check.hpp"'
finds kernel/new_source.cpp '"solvers/newton/newton.hpp"'
finds solvers/new_source.cpp '"io/recorder/recorder.hpp"'
finds solvers/linear/new_source.cpp '"solvers/run/simulation.hpp"'
finds solvers/linear/new_source.cpp '"../run/simulation.hpp"'
mkdir "$copy/solvers/more"
if "$arrows" "$copy" >/dev/null; then echo "a folder of the solvers without a place went unnoticed"; exit 1; fi
rmdir "$copy/solvers/more"
finds io/case/new_source.cpp '"io/recorder/recorder.hpp"'
finds io/new_source.cpp '"app/session.hpp"'
