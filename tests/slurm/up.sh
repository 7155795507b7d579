#!/bin/bash
# Starts Slurm on a virtual cluster, on whose head this runs: the controller on the head, a daemon on
# each host, and munge on all of them. WORK HOST...: logs and the configuration go to the folder WORK.
# Everything ends with the cluster.
set -u
work=$1 hosts=("${@:2}")
enter=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../tools/virtual-cluster-enter.sh

# Sockets and state of each machine; the machine's own /run stays as it is. Munge keeps to folders
# that only root can change.
begin_machine='mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/munge /run/slurm &&
  munged --force --key-file="$0/munge.key" --seed-file=/run/munge/seed --log-file="$0/munge.log"'

(umask 077 && head -c 1024 /dev/urandom >"$work/munge.key")
cat >"$work/slurm.conf" <<END
ClusterName=virtual
SlurmctldHost=$(hostname)
SlurmUser=root
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd.pid
StateSaveLocation=/run/slurm
SlurmdSpoolDir=/run/slurm
MailProg=/bin/true
# What ends a job's processes; no control groups, which may not be ours.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
# More tasks than the machine has cores.
SlurmdParameters=config_overrides
NodeName=$(IFS=, && echo "${hosts[*]}") CPUs=4
PartitionName=all Nodes=ALL Default=YES
END
# The daemon looks for control groups unless it is told which kind to take for granted.
echo CgroupPlugin=cgroup/v1 >"$work/cgroup.conf"

export SLURM_CONF=$work/slurm.conf
bash -c "$begin_machine" "$work" && slurmctld || exit 1
for host in "${hosts[@]}"; do
  "$enter" --argv "$host" / bash -c "$begin_machine && slurmd -N $host" "$work" || exit 1
done
