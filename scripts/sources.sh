#!/bin/sh
# Prints the C++ sources of this tree, one a line.
cd "$(dirname "$0")/.." || exit 1
for folder in kernel elements plugins solvers io app sdk tests bench cases docs; do
  [ -d "$folder" ] && find "$folder" -type f \( -name '*.cpp' -o -name '*.hpp' \) -not -path '*/build/*'
done | sort
