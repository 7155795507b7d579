#!/bin/bash
# shellcheck disable=SC2016,SC2317  # expanded in the hosts' shells; called by expect_soon
#
# Virtual hosts by themselves: CLUSTER.
source tests/tools/expect.sh
cluster=$PWD/$1
skip_without_namespaces "$cluster"
export TMPDIR=$work
nothing_left() { [ -z "$(ls -d "$work"/mpiactor-virtual-cluster.* 2>/dev/null)" ]; }
machine=$(hostname)

# run: input, output, folder, arguments and exit codes pass; nothing stays.
expect_status 7 "$cluster" run --hosts 2 -- sh -c 'cat; echo "$1"; pwd; hostname; exit 7' sh "two words" <<<"from input"
expect_line "from input"
expect_line "two words"
expect_line "$PWD"
expect_line "head"
nothing_left || fail_check "state is left after run"
expect_equal "$machine" "$(hostname)" "the machine's own name"

# up, exec, down: several at once, each host with names, addresses and memory of its own.
expect_status 0 "$cluster" up --hosts 3 --name one --shm-size 8M
expect_status 0 "$cluster" up --hosts 2 --name two
expect_status 0 "$cluster" list
expect_text "one: 3 hosts"
expect_text "two: 2 hosts"
expect_status 1 "$cluster" up --name one
expect_text "'one' is already up"
expect_status 1 env TMPDIR=/proc/nowhere "$cluster" up --hosts 2
expect_text "/proc/nowhere/mpiactor-virtual-cluster"
expect_text "No such file or directory"
for host in 0 1 2; do
  expect_status 0 "$cluster" exec --name one --host $host -- sh -c 'hostname; ip -4 -br addr show eth0; pwd'
  expect_line "host$host"
  expect_text "10.77.0.$((host + 1))/24"
  expect_line "$PWD"
done
expect_status 4 "$cluster" exec --name one --host 1 -- sh -c 'echo "$1"; exit 4' sh 'a  "b" $c'
expect_line 'a  "b" $c'
mark=mark-$$
expect_status 0 "$cluster" exec --name one --host 0 touch "/dev/shm/$mark"
expect_status 0 "$cluster" exec --name one --host 0 ls "/dev/shm/$mark"
expect_status 2 "$cluster" exec --name one --host 1 ls "/dev/shm/$mark"
expect_status 2 "$cluster" exec --name two --host 0 ls "/dev/shm/$mark"
[ ! -e "/dev/shm/$mark" ] || fail_check "a host writes to the machine's /dev/shm"
expect_status 0 "$cluster" exec --name one --host 0 df --output=size -B1M /dev/shm
expect_text " 8"
# Hosts reach each other, by name.
expect_status 0 "$cluster" exec --name one --host 2 bash -c '
  exec 2>/dev/null; : >/dev/tcp/host0/9; [ "$(getent hosts host0)" ] && echo resolved'
expect_line "resolved"
expect_status 0 "$cluster" exec --name one --host 0 cat /sys/class/net/eth0/operstate
expect_line "up"

# What ran there ends with it.
"$cluster" exec --name one --host 1 -- sleep 4321.5 &
job=$!
expect_soon pgrep -f "^sleep 4321.5" >/dev/null
expect_status 0 "$cluster" down --name one
wait "$job" 2>/dev/null && fail_check "a command of a cluster that was taken down reports success"
sleeper_gone() { ! pgrep -f "^sleep 4321.5" >/dev/null; }
expect_soon sleeper_gone
expect_status 0 "$cluster" exec --name two hostname
expect_status 0 "$cluster" down --all
nothing_left || fail_check "state is left after down --all"

# A killed script takes its cluster with it; the next one clears its folder.
"$cluster" run --hosts 2 -- sleep 4321.6 &
job=$!
expect_soon pgrep -f "^sleep 4321.6" >/dev/null
kill -KILL "$job"
wait "$job" 2>/dev/null
sleeper_gone() { ! pgrep -f "^sleep 4321.6" >/dev/null; }
expect_soon sleeper_gone
expect_status 0 "$cluster" run --hosts 1 true
nothing_left || fail_check "state of a killed script is left"

# As somebody without rights, through a user namespace, where the kernel permits it.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR=/tmp)
  if "${nobody[@]}" "$cluster" check 2>/dev/null; then
    expect_status 0 "${nobody[@]}" "$cluster" run --hosts 2 -- hostname
    expect_line "head"
    expect_status 0 "${nobody[@]}" "$cluster" up --hosts 2 --name "test-$$"
    expect_status 0 "${nobody[@]}" "$cluster" exec --name "test-$$" --host 1 hostname
    expect_line "host1"
    expect_status 0 "${nobody[@]}" "$cluster" down --name "test-$$"
  fi
fi

# Bad input.
refuses() {
  expect_status 64 "$cluster" "${@:2}"
  expect_text "virtual-cluster: $1"
}
refuses "--hosts 0: allowed are 1 to 200" run --hosts 0 true
refuses "--hosts 201: allowed are 1 to 200" run --hosts 201 true
refuses "--shm-size 5X: allowed is a number with a suffix K, M or G" up --shm-size 5X
refuses "--name ../x: allowed are" up --name ../x
refuses "unknown option --name of 'run'; allowed are --hosts --shm-size" run --name x true
refuses "option --hosts needs a value" up --hosts
refuses "'run' needs a command to run" run --hosts 2
refuses "unknown command 'start'; allowed are run, up, exec, down, list, check" start
expect_status 1 "$cluster" exec --name missing true
expect_text "no cluster named 'missing' is up"
finish
