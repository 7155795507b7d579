#!/bin/bash
# Process 1 of a virtual cluster: STATE HOSTS SHM_SIZE. Started by virtual-cluster in namespaces of
# its own; makes the bridge and the hosts, says "ready", then only waits to be killed.
set -u -o pipefail
state=$1 hosts=$2 shm_size=$3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

fail() {
  echo "virtual-cluster: $*" >&2
  exit 1
}

# /proc is still the outer one here, so this is our process id as seen from outside.
read -r stat </proc/self/stat
read -r -a fields <<<"${stat##*) }"
echo "${stat%% *} ${fields[19]}" >"$state/head"
[ "$(</proc/self/setgroups)" = deny ] 2>/dev/null && : >"$state/user"
mount -t proc proc /proc || fail "cannot mount /proc"

{
  echo "127.0.0.1 localhost"
  echo "10.77.0.254 head"
  for ((host = 0; host < hosts; host++)); do echo "10.77.0.$((host + 1)) host$host"; done
} >"$state/hosts"
for ((host = 0; host < hosts; host++)); do echo "host$host"; done >"$state/hostfile"
mount --bind "$state/hosts" /etc/hosts || fail "cannot mount over /etc/hosts"
mount -t tmpfs -o "size=$shm_size,mode=1777" tmpfs /dev/shm || fail "cannot mount /dev/shm"
hostname head

# All hosts start at once; each prints its process id as seen from here.
declare -a from_host
for ((host = 0; host < hosts; host++)); do
  exec {fd}< <(exec unshare --net --mount --uts --ipc --pid --fork --kill-child \
    bash "$here/virtual-cluster-host.sh" "host$host" "$shm_size" </dev/null)
  from_host[host]=$fd
done

{
  echo "link set lo up"
  echo "link add bridge0 type bridge"
  echo "addr add 10.77.0.254/24 dev bridge0"
  echo "link set bridge0 up"
} | ip -batch - || fail "cannot make a bridge"

for ((host = 0; host < hosts; host++)); do
  fd=${from_host[host]}
  read -r -u "$fd" pid || fail "host$host did not start"
  exec {fd}<&-
  echo "$pid" >"$state/host$host.pid"
  {
    echo "link add port$host type veth peer name eth0 netns $pid"
    echo "link set port$host master bridge0 up"
  } | ip -batch - || fail "cannot connect host$host"
  {
    echo "link set lo up"
    echo "addr add 10.77.0.$((host + 1))/24 dev eth0"
    echo "link set eth0 up"
  } | nsenter --net="/proc/$pid/ns/net" ip -batch - || fail "cannot give host$host its address"
done

echo ready
# The caller may close its ends; nothing more is said.
exec >/dev/null 2>&1
# As process 1, adopt and reap what is orphaned.
while :; do
  sleep 86400 &
  wait "$!"
done
