#!/usr/bin/env bash
# One link of a chain: runs job.sh unless the run has ended. Submitted by chain.sh.
#SBATCH --job-name=trammel
#SBATCH --ntasks=4
#SBATCH --signal=B:USR1@300
#
#   link.sh GOES_ON CASE FOLDER SECONDS [option of trammel ...]
set -uo pipefail
goes_on=$1
shift
folder=$2
if [ "$goes_on" = 1 ]; then
  end=$(sed -n 's/^  "end": "\(.*\)",*$/\1/p' "$folder/run.json" 2>/dev/null)
  case $end in
    running | SIGTERM | "time limit") ;;
    *) echo "the run has ended: ${end:-there is no run.json in $folder}"; exit 0 ;;
  esac
fi
exec "${TRAMMEL_SLURM:-$(dirname "$0")}/job.sh" "$@"
