#!/usr/bin/env bash
# Submits a chain of jobs, each of which goes on where the one before had to stop.
#
#   chain.sh CASE FOLDER [JOBS [SECONDS [option of trammel ...]]]
# (It tells link.sh where job.sh lies: SLURM copies what it runs.)
#
# JOBS: at most so many (10). SECONDS: wall time of each (14400). A job runs after the one before has ended, however it did; it does
# nothing where that has ended the run (status 0, or an error), which run.json in the folder tells.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: chain.sh CASE FOLDER [JOBS [SECONDS [option of trammel ...]]]" >&2; exit 2; }
case=$1 folder=$2 jobs=${3:-10} seconds=${4:-14400}
shift $(($# < 4 ? $# : 4))
here=$(cd "$(dirname "$0")" && pwd)
time=$(printf '%d:%02d:%02d' $((seconds / 3600)) $((seconds / 60 % 60)) $((seconds % 60)))
before=
for ((job = 1; job <= jobs; ++job)); do
  after=()
  [ -z "$before" ] || after=(--dependency="afterany:$before")
  before=$(sbatch --parsable --time="$time" "${after[@]}" --export="ALL,TRAMMEL_SLURM=$here" "$here/link.sh" "$((job > 1))" "$case" "$folder" "$seconds" "$@")
  echo "job $job of $jobs: $before"
done
