#!/bin/bash
# Runs a command on a host of the virtual cluster whose head this runs on; takes the place of ssh:
#   virtual-cluster-enter.sh [OPTIONS] HOST COMMAND...       COMMAND is read by a shell, as ssh does
#   virtual-cluster-enter.sh --argv HOST FOLDER PROGRAM ARGS...
set -u
as_words=no
while [ $# -gt 0 ]; do
  case $1 in
    --argv) as_words=yes ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
host=$1
shift
read -r pid 2>/dev/null <"${VIRTUAL_CLUSTER_STATE:?only on a virtual cluster}/$host.pid" ||
  { echo "virtual-cluster: there is no host '$host'" >&2 && exit 1; }
enter=(nsenter -t "$pid" --net --mount --uts --ipc --pid --)
if [ "$as_words" = yes ]; then
  # shellcheck disable=SC2016  # expands in the inner shell
  exec "${enter[@]}" sh -c 'cd -- "$1" || exit 1; shift; exec "$@"' sh "$@"
fi
# shellcheck disable=SC2016
exec "${enter[@]}" sh -c 'cd -- "$1" || exit 1; eval "$2"' sh "$PWD" "$*"
