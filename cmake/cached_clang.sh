#!/usr/bin/env bash
# The launcher of clang: the compiler cache, and beside each precompiled header the sum of its text. The header itself
# names its folder, so that without the sum a second checkout would find nothing in the cache.
ccache "$@" || exit
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
