#!/bin/bash
# Process 1 of one virtual host: HOST_NAME SHM_SIZE. Started by virtual-cluster-head.sh in namespaces
# of its own; prints its process id as seen from the head, then only waits to be killed.
set -u
read -r pid _ </proc/self/stat
mount -t proc proc /proc || exit 1
mount -t tmpfs -o "size=$2,mode=1777" tmpfs /dev/shm || exit 1
# Programs that look for network interfaces under /sys must see this host's; where the kernel
# does not permit the mount they see the machine's.
mount -t sysfs -o ro sysfs /sys 2>/dev/null
hostname "$1" || exit 1
echo "$pid"
exec >/dev/null 2>&1
while :; do
  sleep 86400 &
  wait "$!"
done
