#!/bin/bash
# What ./test.sh asks Bazel for, with stand-ins for what it calls: TEST_SCRIPT.
source tests/tools/expect.sh
mkdir -p "$work/tree/tools" "$work/bin" "$work/elsewhere"
cp "$1" "$work/tree/test.sh"
printf '#!/bin/bash\n' >"$work/tree/tools/bootstrap"
printf '#!/bin/bash\necho "bazel $*"\n' >"$work/bin/bazel"
chmod +x "$work/tree/tools/bootstrap" "$work/bin/bazel"
export PATH=$work/bin:$PATH
unset CI

# A relative graph is one of the folder that the script is called in.
touch "$work/elsewhere/rome.gr"
for graph in rome.gr ./rome.gr "$work/elsewhere/rome.gr"; do
  expect_status 0 env -C "$work/elsewhere" ROME99_GRAPH="$graph" ../tree/test.sh --quick
  expect_text "--test_env=ROME99_GRAPH=$(readlink -f "$work")/elsewhere/rome.gr "
done
expect_status 1 env -C "$work/elsewhere" ROME99_GRAPH=milan.gr ../tree/test.sh --quick
expect_text "test.sh: ROME99_GRAPH=$work/elsewhere/milan.gr: no such file"
expect_status 0 env -C "$work/elsewhere" ROME99_GRAPH= ../tree/test.sh --quick
expect_no_text "--test_env=ROME99_GRAPH"
finish
