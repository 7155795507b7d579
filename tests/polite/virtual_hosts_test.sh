#!/bin/bash
# Jobs over tcp between virtual hosts come to an end: LAUNCHER CLUSTER REPORT POLITE
# LATE_RECEIVER.
source tests/tools/expect.sh
launcher=$PWD/$1 cluster=$PWD/$2 report=$PWD/$3 late_receiver=$PWD/$5
skip_without_namespaces "$cluster"
export TMPDIR=$work
# Leader off: the launcher looks for the polite library beside the runtime that it would load.
mkdir -p "$work/lib"
cp "$4" "$work/lib/libmpiactor_polite.so"
run=("$launcher" --leader off --runtime "$work/lib/libmpiactor.so" --virtual-hosts)
for ((repetition = 1; repetition <= 10; ++repetition)); do
  expect_status 0 timeout -k 1 180 env MPIACTOR_POLITE_STATS=1 "${run[@]}" 4 --ppn 2 "$report"
  expect_equal 8 "$(grep -c ' sum=28$' <<<"$output")" "ranks with the right sum in run $repetition"
  expect_equal 8 "$(grep -o 'program=call_report .*skipped_flushes=[1-9]' <<<"$output" | wc -l)" \
    "ranks that skipped their flush in run $repetition"
done

# A sender that ends while its last message does not fit into the connection. Where that is depends
# on the kernel's buffers: 203 with its default ones. MPICH 4.2 waits for ever then, with its own flush,
# too.
at_the_end=203
if mpiexec.hydra --version | grep -Eq 'Version: +4[.]2[.]'; then at_the_end=; fi
for messages in 100 201 202 $at_the_end 204; do
  expect_status 0 timeout -k 1 180 "${run[@]}" 2 "$late_receiver" "$messages" 4000
  expect_line "messages=$messages wrong_bytes=0"
done
finish
