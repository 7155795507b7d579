#!/usr/bin/env python3
"""Runs collectives_run at small rank counts: MPI RUNTIME PROGRAM FAKE_RUNTIME."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

MPI = sys.argv[1]
PROGRAM, FAKE_RUNTIME = (os.path.abspath(path) for path in sys.argv[3:5])
TIMEOUT_S = 300
COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "allgather",
               "allgatherv", "gather", "gatherv", "scatter", "scatterv", "alltoall", "alltoallv",
               "ibarrier", "ibcast", "ireduce", "iallreduce", "ireduce_scatter", "iallgather",
               "igather", "iscatter", "ialltoall"]
ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "ibcast", "ireduce",
          "igather", "iscatter"}
# Long beside what a busy machine adds; a half of it tells delayed from not delayed.
SKEW_MS = "30"
HALF_SKEW_US = 15000


def launch(ranks, *arguments, preload="", **settings):
    """(exit code, stdout, stderr) under mpiexec; nothing of it outlives this call."""
    command = ["tests/mpiexec.sh", MPI, "-n", str(ranks), "-genv", "LD_PRELOAD", preload]
    for name, value in settings.items():
        command += ["-genv", name, value]
    process = subprocess.Popen(command + [PROGRAM, *arguments], text=True, errors="replace", start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return process.returncode, output, errors


class CollectivesRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = pathlib.Path(folder.name) / "out.json"

    def measure(self, ranks, *arguments, **more):
        code, output, errors = launch(ranks, *arguments, "--json", str(self.json), **more)
        self.assertEqual(code, 0, output + errors)
        self.output = output
        return json.loads(self.json.read_text(encoding="utf-8"))

    def test_every_collective_is_measured_and_verified(self):
        for ranks, kind, offset in ((2, "int", 0), (3, "double", 16)):
            report = self.measure(ranks, "--sizes", "8,4K", "--reps", "4", "--type", kind,
                                  "--buffer-offset", str(offset), "--under-way", str(ranks),
                                  "--sweep", "1M")
            self.assertEqual(report["settings"]["buffer_offset_bytes"], offset)
            self.assertEqual(report["settings"]["under_way"], ranks)
            self.assertEqual(report["settings"]["sweep_bytes"], 1 << 20)
            cells = [(entry["collective"], entry["bytes"]) for entry in report["results"]]
            self.assertEqual(cells, [(name, size) for name in COLLECTIVES
                                     for size in ((0,) if "barrier" in name else (8, 4096))])
            self.assertEqual(report["skipped"], [])
            self.assertEqual(report["job"]["ranks"], ranks)
            self.assertEqual(report["settings"]["roots"], "fixed")
            for entry in report["results"]:
                self.assertEqual(entry["calls"], 4)
                self.assertEqual(entry["roots"], "fixed" if entry["collective"] in ROOTED else "")
                self.assertEqual(entry["rooted"], entry["collective"] in ROOTED)
                self.assertGreater(entry["last_exit_after_start_us"]["p50"], 0)
                self.assertLessEqual(entry["last_exit_after_last_arrival_us"]["p50"],
                                     entry["last_exit_after_start_us"]["max"])
                self.assertLessEqual(entry["excess_us"]["max"], entry["in_call_us"]["max"])

    def test_both_kinds_of_roots_are_cells_of_their_own(self):
        report = self.measure(3, "--sizes", "64", "--collectives", "gather,allgather", "--reps", "5", "--roots", "both")
        self.assertEqual([(entry["collective"], entry["roots"]) for entry in report["results"]],
                         [("gather", "fixed"), ("gather", "rotate"), ("allgather", "")])
        self.assertIn("gather@rotate", self.output)

    def test_time_decides_the_number_of_calls(self):
        report = self.measure(2, "--sizes", "8", "--collectives", "allreduce", "--cell-ms", "20")
        self.assertGreaterEqual(report["results"][0]["calls"], 3)
        slow = self.measure(2, "--sizes", "8", "--collectives", "allreduce", "--cell-ms", "20", "--margin-ms", "5",
                            "--min-reps", "2")
        self.assertLessEqual(slow["results"][0]["calls"], 4)
        self.assertGreaterEqual(slow["results"][0]["calls"], 2)

    def test_large_cells_are_skipped_and_named(self):
        report = self.measure(2, "--sizes", "4,64K", "--collectives", "allreduce,alltoall", "--reps", "1",
                              "--max-memory", "200K")
        self.assertEqual([(entry["collective"], entry["bytes"]) for entry in report["results"]],
                         [("allreduce", 4), ("allreduce", 65536), ("alltoall", 4)])
        self.assertEqual(report["skipped"], [{"collective": "alltoall", "bytes": 65536, "needed_bytes": 262144,
                                              "limit_bytes": 204800}])
        self.assertIn("alltoall    64K skipped: needs 256K a rank, 200K are allowed", self.output)

    def test_a_late_root_is_waited_for_but_is_no_excess_of_a_broadcast(self):
        report = self.measure(2, "--sizes", "8", "--collectives", "bcast,gather", "--reps", "6", "--skew-ms", SKEW_MS,
                              "--pattern", "one-late", "--single", "root")
        bcast, gather = report["results"]
        self.assertEqual(report["settings"]["pattern"], "one-late")
        for entry in (bcast, gather):
            self.assertGreater(entry["arrival_spread_us"]["p50"], HALF_SKEW_US)
        # The receiver waits for the root, a sender of a short block for nobody.
        self.assertGreater(bcast["in_call_us"]["max"], HALF_SKEW_US)
        self.assertLess(bcast["others_excess_us"]["p50"], HALF_SKEW_US)
        self.assertLess(gather["others_excess_us"]["p50"], HALF_SKEW_US)
        self.assertLess(gather["root_excess_us"]["p50"], HALF_SKEW_US)

    def test_contenders_alternate_within_one_job(self):
        report = self.measure(2, "--sizes", "8", "--collectives", "bcast", "--reps", "6", "--contenders",
                              "off,static", preload=FAKE_RUNTIME)
        self.assertEqual([(entry["contender"], entry["calls"]) for entry in report["results"]],
                         [("off", 6), ("static", 6)])
        plain, static = report["results"]
        self.assertLess(plain["last_exit_after_start_us"]["p50"], 15000)
        # The stand-in makes exactly this one slow.
        self.assertGreaterEqual(static["last_exit_after_start_us"]["p50"], 20000)

    def test_wrong_data_fails_the_run(self):
        arguments = ("--sizes", "1000", "--collectives", "bcast", "--reps", "2", "--roots", "fixed")
        code, output, errors = launch(2, *arguments, preload=FAKE_RUNTIME, FAKE_CORRUPT="1")
        self.assertNotEqual(code, 0)
        # The stand-in spoils byte 249.
        self.assertIn("rank 1 got wrong data from bcast of 1000 bytes, root 0: first wrong int at 62",
                      output + errors)
        code, output, errors = launch(2, *arguments, "--verify", "off", preload=FAKE_RUNTIME, FAKE_CORRUPT="1")
        self.assertEqual(code, 0, output + errors)

    def test_labels_need_not_be_utf8(self):
        report = self.measure(2, "--collectives", "bcast", "--sizes", "8", "--reps", "2", "--label",
                              os.fsdecode(b"caf\xe9"))
        self.assertEqual(report["results"][0]["contender"], "caf\ufffd")

    def test_bad_input_is_named_once(self):
        cases = [
            (["--collectives", "scan"], "--collectives: 'scan' is not a collective: choose from all, barrier"),
            (["--sizes", "1X"], "--sizes: '1X' is not a message size"),
            (["--sizes", "6"], "--sizes: 6 is not a multiple of 4, the bytes of int"),
            (["--type", "short"], "--type: 'short' is not an element type: choose from int, float, double"),
            (["--max-memory", "much"], "--max-memory: 'much' is not a message size"),
            (["--buffer-offset", "4096"], "--buffer-offset: Value 4096 not in range"),
            (["--sweep", "0"], "--sweep: '0' is not a message size"),
            (["--under-way", "0"], "--under-way: Value 0 not in range"),
            (["--pattern", "late"], "--pattern: late not in {random,one-late"),
            (["--nodes", "3"], "--nodes: node layout '3' does not fit 2 ranks"),
            (["--root", "2"], "--root: 2 is not a rank of this job: 0 to 1"),
            (["--cell-ms", "0"], "--cell-ms: Value 0 not in range"),
            (["--cell-ms", "nan"], "--cell-ms: Value nan not in range"),
            (["--contenders", "off,static"], "--contenders: needs the preloaded runtime"),
            (["--json", "/nonexistent/x.json"], "--json: cannot write '/nonexistent/x.json'"),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                code, output, errors = launch(2, *arguments)
                self.assertIn(code, (1, 2), errors)
                self.assertEqual(errors.count(message), 1, errors)
                self.assertNotIn("contender", output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
