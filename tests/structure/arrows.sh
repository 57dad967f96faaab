#!/usr/bin/env bash
# Holds the arrows app -> io -> solvers -> kernel -> sdk <- elements, plugins: by the includes of every source that is no
# test, and, given the build folder, by what the libraries of the sdk and of plugins are linked to. Names each line that
# breaks one. The folders of solvers and io stand on one another in the same way. The kernel stays minimal: at most 5,000 lines.
#
#   arrows.sh SOURCE_FOLDER [BUILD_FOLDER]
set -uo pipefail
cd "$1" || exit 2
build=${2:-}
broken=0

report() { echo "$1"; broken=1; }

# refuse FOLDER PATTERN WHY: no include of FOLDER may match PATTERN.
refuse() {
  local folder=$1 pattern=$2 why=$3 line
  [ -d "$folder" ] || return 0
  while IFS= read -r line; do
    report "$line: $why"
  done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$folder" \
    --include='*.cpp' --include='*.hpp' | grep -vE '^[^:]*_test\.cpp:')
}

# stand HOUSE FOLDERS: its folders from the highest down; each may include those after it.
stand() {
  local house=$1 known=" ${*:2} " above='' folder source
  for folder in "${@:2}"; do
    [ -z "$above" ] || refuse "$house/$folder" "$above" "a folder of $house includes one that stands on it"
    above="${above:+$above|}$house/$folder/"
  done
  for source in "$house"/*.cpp "$house"/*.hpp "$house"/*/; do
    folder=${source%/}
    [ ! -e "$source" ] || [[ $known == *" ${folder#"$house"/} "* ]] || report "$folder is none of the folders of $house, nor in one"
  done
}

host='kernel/|solvers/|io/|app/'
parallel='petsc|slepc|mpi\.h|mpi/'
check=$(cd sdk/check/include && ls trammel/*.hpp | sed 's/\./\\./' | paste -sd'|')

for folder in sdk/include sdk/src sdk/check sdk/template sdk/examples elements plugins; do
  refuse "$folder" "$host" "includes the host; a plugin sees the sdk alone"
  refuse "$folder" "$parallel" "includes PETSc or MPI; the sdk and plugins are free of both"
  refuse "$folder" 'yaml-cpp|vtk' "includes a file format"
done
for folder in sdk/include sdk/src kernel solvers; do
  refuse "$folder" "$check" "includes what checks a joint"
done
for folder in sdk kernel solvers io app; do
  refuse "$folder" '\.\./' "includes by a way that says not from where"
done
refuse sdk/include 'sdk/' "a public header includes a private one"
refuse kernel 'solvers/|io/|app/|elements/|plugins/' "the kernel includes what stands on it"
refuse kernel 'yaml-cpp|vtk' "the kernel includes a file format"
refuse solvers 'io/|app/|elements/|plugins/' "a solver includes what stands on it"
stand solvers run accuracy methods errors start constraints reviews newton linear reactions ranks
stand io recorder vtk drawing files case expressions process paraview
refuse io 'app/|elements/|plugins/' "io includes what stands on it"
refuse app 'elements/|plugins/' "the command includes an element or a joint; they are found at run time"

lines=$(cat kernel/*.hpp kernel/*.cpp | wc -l)
echo "kernel: $lines lines"
[ "$lines" -le 5000 ] || report "the kernel has $lines lines; at most 5000"

if [ -n "$build" ]; then
  shopt -s nullglob
  for library in "$build"/lib/libtrammel_sdk*.so "$build"/lib/trammel/plugins/*.so; do
    for needed in $(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
      case $needed in
        libtrammel_kernel* | libtrammel_sdk_check* | libpetsc* | libmpi* | libslepc* | libvtk* | libyaml*)
          report "${library#"$build"/} is linked to $needed" ;;
      esac
    done
  done
fi
exit "$broken"
