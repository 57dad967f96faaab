#!/usr/bin/env bash
# cached_clang.sh CCACHE CLANG ARGUMENTS...: the launcher of clang. Runs the compiler cache, and writes beside each precompiled
# header the sum of its text. The header itself names its folder, so that without the sum a second checkout would find nothing in
# the cache.
"$@" || exit
shift
[[ " $* " == *" -emit-pch "* ]] || exit 0

command=()
while (($#)); do
  case "$1 ${2-}" in
    "-Xclang -emit-pch") shift ;;
    "-o "*) header=$2 && shift ;;
    "-MD "*) ;;
    "-MT "* | "-MF "*) shift ;;
    *) command+=("$1") ;;
  esac
  shift
done
"${command[@]}" -E -P | sha256sum >"$header.sum"
