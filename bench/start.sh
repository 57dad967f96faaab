# shellcheck shell=bash disable=SC2034
# To be sourced: where the scripts of this folder run, the command, and a folder for results that goes away at the end.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. ./scripts/environment.sh
trammel=${BUILD:-build/release}/bin/trammel
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
