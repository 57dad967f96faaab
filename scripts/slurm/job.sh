#!/usr/bin/env bash
# One job of a chain: goes on from the last checkpoint of the folder, or begins. Submitted by chain.sh.
#SBATCH --job-name=trammel
#SBATCH --time=04:00:00
#SBATCH --ntasks=4
#SBATCH --signal=B:USR1@300
#
#   job.sh CASE FOLDER SECONDS [option of trammel ...]
#
# SECONDS: the wall time of the job. Status: that of the run; 0, 5 (time limit) and 143 (SIGTERM) are its regular ends.
set -uo pipefail
[ $# -ge 3 ] || { echo "usage: job.sh CASE FOLDER SECONDS [option of trammel ...]" >&2; exit 2; }
case=$1 folder=$2 seconds=$3
shift 3
export OMP_NUM_THREADS=1

# Half a minute is kept for the batch system's own start and end.
options=(-o "$folder" --time-limit $((seconds - 30)) --checkpoint-minutes "${TRAMMEL_MINUTES:-30}" "$@")
compgen -G "$folder/checkpoint_*.h5" >/dev/null && options+=(--restart)

# Signals come to this script alone (B:); the run gets them from here.
run=
trap '[ -z "$run" ] || kill -USR1 "$run"' USR1
trap '[ -z "$run" ] || kill -TERM "$run"' TERM
${TRAMMEL_LAUNCH:-srun --cpu-bind=cores} "${TRAMMEL:-trammel}" run "$case" -q "${options[@]}" &
run=$!
while true; do
  wait $run
  status=$?
  kill -0 $run 2>/dev/null || break
done
exit $status
