#!/bin/bash
# MPI programs on virtual hosts, and what is left of them: LAUNCHER CLUSTER REPORT RUNTIME POLITE.
source tests/tools/expect.sh
launcher=$PWD/$1 cluster=$PWD/$2 report=$PWD/$3
mkdir -p "$work/lib/polite"
cp "$4" "$work/lib/libprobe.so"
cp "$5" "$work/lib/polite/libmpiactor_polite.so"
run=("$launcher" --runtime "$work/lib/libprobe.so")
export TMPDIR=$work

# values NAME: the distinct values of a fact in $output, sorted, on one line.
values() { sed -n "s/^[0-9]* $1=//p" <<<"$output" | sort -u | tr '\n' ' '; }

# Where namespaces are not permitted: the same layout of pretended nodes, said in one line.
mkdir -p "$work/bin"
cat >"$work/bin/unshare" <<'END'
#!/bin/sh
echo "unshare: unshare failed: Operation not permitted" >&2
exit 1
END
chmod +x "$work/bin/unshare"
expect_status 0 env PATH="$work/bin:$PATH" "${run[@]}" --virtual-hosts 3 --ppn 2 "$report"
expect_line "mpiactor-run: no virtual hosts (namespaces are not permitted here: unshare: unshare failed: Operation not permitted); 3 pretended nodes instead, MPIACTOR_NODES=3"
expect_equal "6 " "$(values ranks)" "ranks on pretended nodes"
expect_equal "3 " "$(values MPIACTOR_NODES)" "pretended nodes"
expect_equal "$(hostname) " "$(values host)" "host of pretended nodes"
expect_equal "(unset) " "$(values MPIACTOR_POLITE_FINALIZE)" "finalize on one machine"
expect_status 0 env PATH="$work/bin:$PATH" "${run[@]}" --virtual-hosts 2 -n 3 "$report"
expect_equal "ppn:2 " "$(values MPIACTOR_NODES)" "pretended nodes of unequal size"
expect_status 0 env PATH="$work/bin:$PATH" "${run[@]}" --virtual-hosts 2 --leader off "$report"
expect_equal "2 " "$(values MPIACTOR_NODES)" "pretended nodes without leaders"
expect_status 69 env PATH="$work/bin:$PATH" "$cluster" run true
expect_text "namespaces are not permitted here"

skip_without_namespaces "$cluster"

# Hosts differ in name, network and memory; ranks go block by block.
expect_status 0 "${run[@]}" --virtual-hosts 3 --ppn 2 --leader static "$report" "two words"
expect_equal "host0 host1 host2 " "$(values host)" "hosts"
expect_equal 3 "$(values network | wc -w)" "networks"
expect_equal 3 "$(values shared_memory_device | wc -w)" "shared memories"
for rank in 0 1 2 3 4 5; do expect_line "$rank host=host$((rank / 2))"; done
expect_line "5 sum=15"
expect_line "5 argument=two words"
expect_line "5 probe=1"
expect_line "5 MPIACTOR_LEADER=static"
expect_line "5 MPIACTOR_POLITE_FINALIZE=skip"
expect_status 0 "${run[@]}" --virtual-hosts 2 -n 3 "$report"
expect_line "1 host=host0"
expect_line "2 host=host1"

# Shared memory inside a host, tcp between hosts.
expect_status 0 "${run[@]}" --virtual-hosts 2 --ppn 2 -genv UCX_LOG_LEVEL info "$report"
expect_text "am(tcp/eth0)"
expect_text "am(sysv/memory"

# Not polite: the end of the job still is, nobody yields.
expect_status 0 env MPIACTOR_POLITE_STATS=1 "${run[@]}" --virtual-hosts 2 --polite off "$report"
expect_equal 2 "$(grep -c 'program=call_report yields=0 skipped_flushes=[1-9]' <<<"$output")" "ranks without yields"

# The programs may lie in a folder with a blank in its name, and be called in one. A temporary folder
# must not have one: launchers cut there.
mkdir -p "$work/two words"
cp "$launcher" "$(dirname "$cluster")"/virtual-cluster* "$work/two words"
expect_status 0 env -C "$work/two words" timeout 180 ./mpiactor-run --runtime "$work/lib/libprobe.so" \
  --virtual-hosts 2 "$report"
expect_equal "host0 host1 " "$(values host)" "hosts made in a folder with a blank"
expect_status 64 env TMPDIR="$work/two words" timeout 180 "${run[@]}" --virtual-hosts 2 "$report"
expect_text "TMPDIR=$work/two words: allowed are paths without blanks"

# Nothing is left, however a job ends: no process, no namespace, no file, no folder.
files_before=$(ls /dev/shm)
expect_clean() {
  # shellcheck disable=SC2317  # called by expect_soon
  no_process() { ! pgrep -f "report sleep=100 mark-$work|virtual-cluster-h[a-z]*.sh $work" >/dev/null; }
  expect_soon no_process
  local network
  for network in $(values network); do
    find /proc -maxdepth 3 -path '/proc/[0-9]*/ns/net' -lname "$(printf %q "$network")" 2>/dev/null |
      grep -q . && fail_check "$1: $network is left"
  done
  expect_equal "" "$(ls -d "$work"/mpiactor-virtual-cluster.* "$work"/tmp.* 2>/dev/null)" "$1: left"
  expect_equal "$files_before" "$(ls /dev/shm)" "$1: /dev/shm"
}
expect_status 0 "${run[@]}" --virtual-hosts 2 --ppn 2 "$report"
expect_clean "after success"
expect_status 6 "${run[@]}" --virtual-hosts 2 --ppn 2 "$report" exit=6
expect_clean "after exit code 6"
timeout 180 "${run[@]}" --virtual-hosts 2 --ppn 2 "$report" kill=3 >"$work/log" 2>&1 &&
  fail_check "a job with a killed rank reports success"
expect_clean "after a killed rank"
expect_status 255 "${run[@]}" --virtual-hosts 2 "$work/no-such-program"
expect_clean "after a program that does not exist"
for signal in INT TERM HUP; do
  env --default-signal=INT "${run[@]}" --virtual-hosts 2 --ppn 2 \
    "$report" sleep=100 "mark-$work" >"$work/log" 2>&1 &
  job=$!
  expect_soon grep -q "^3 sum=6" "$work/log"
  kill -s "$signal" "$job"
  wait "$job"
  status=$?
  expect_equal $((128 + $(kill -l "$signal"))) "$status" "exit code after SIG$signal"
  output=$(<"$work/log")
  expect_clean "after SIG$signal"
done
finish
