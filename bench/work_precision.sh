#!/usr/bin/env bash
# Error against CPU time: each method and form of dynamic stages, and steps by accuracy, in five problems with known answers, and the
# mesh in one of statics. A table and plots as PNG and SVG in build/bench/work_precision. What was measured is kept: the same command goes
# on where an earlier one ended; --again measures anew. CPU time means something only on an idle machine.
#   bench/work_precision.sh
#   bench/work_precision.sh --mode quick --problems R07 D01
set -euo pipefail
. "$(dirname "$0")/start.sh"
. bench/plotting.sh
"$python" bench/work_precision.py "$trammel" "$results" "$@"
