#!/usr/bin/env python3
"""Runs upa at small rank counts and checks what it reports: MPI RUNTIME UPA FAKE_RUNTIME."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

MPI = sys.argv[1]
UPA, FAKE_RUNTIME = (os.path.abspath(path) for path in sys.argv[3:5])
TIMEOUT_S = 300
# Long beside what a busy machine adds; a half of it tells delayed from not delayed.
SKEW_MS = "30"
HALF_SKEW_US = 15000


def launch(ranks, *arguments, preload="", **settings):
    """(exit code, stdout, stderr) of upa under mpiexec; nothing of it outlives this call."""
    command = ["tests/mpiexec.sh", MPI, "-n", str(ranks), "-genv", "LD_PRELOAD", preload]
    for name, value in settings.items():
        command += ["-genv", name, value]
    process = subprocess.Popen(command + [UPA, *arguments], text=True, errors="replace", start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return process.returncode, output, errors


class UpaTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = pathlib.Path(folder.name) / "upa.json"

    def measure(self, ranks, *arguments, **more):
        code, output, errors = launch(ranks, *arguments, "--json", str(self.json), **more)
        self.assertEqual(code, 0, output + errors)
        report = json.loads(self.json.read_text(encoding="utf-8"))
        for result in report["results"]:
            self.check_consistent(result, ranks)
        self.output = output
        return report

    def check_consistent(self, result, ranks):
        for name in ("in_call_us", "excess_us", "root_in_call_us", "last_exit_after_last_arrival_us",
                     "last_exit_after_root_entry_us", "arrival_spread_us"):
            figures = result[name]
            self.assertLessEqual(figures["p50"], figures["p95"], name)
            self.assertLessEqual(figures["p95"], figures["max"], name)
            self.assertLessEqual(figures["mean"], figures["max"] * (1 + 1e-9), name)
        self.assertGreater(result["in_call_us"]["mean"], 0)
        self.assertGreaterEqual(result["slowest_rank_in_call_us"], result["in_call_us"]["mean"] * (1 - 1e-9))
        self.assertLessEqual(result["last_exit_after_last_arrival_us"]["mean"],
                             result["last_exit_after_root_entry_us"]["mean"] * (1 + 1e-9))
        # Ranks that arrive before the root wait for it: what is left over is less.
        self.assertLessEqual(result["excess_us"]["max"], result["in_call_us"]["max"])
        self.assertGreaterEqual(result["late_entries"], 0)
        self.assertLessEqual(result["late_entries"], result["calls"] * ranks)

    def test_a_late_root_is_waited_for_but_is_no_excess(self):
        for ranks in (2, 4):
            report = self.measure(ranks, "--sizes", "8,4K", "--reps", "8", "--skew-ms", SKEW_MS,
                                  "--pattern", "one-late", "--single", "root")
            self.assertEqual([entry["bytes"] for entry in report["results"]], [8, 4096])
            for entry in report["results"]:
                self.assertEqual(entry["calls"], 8)
                # Non-root ranks are in the call for about the skew, the root is not.
                waiting = (entry["in_call_us"]["mean"] * ranks - entry["root_in_call_us"]["mean"]) / (ranks - 1)
                self.assertGreater(waiting, HALF_SKEW_US)
                self.assertLess(entry["excess_us"]["mean"], waiting - HALF_SKEW_US)
                self.assertGreater(entry["arrival_spread_us"]["p50"], HALF_SKEW_US)

    def test_one_late_receiver_costs_itself_little(self):
        report = self.measure(2, "--sizes", "8", "--reps", "8", "--skew-ms", SKEW_MS, "--pattern", "one-late")
        entry = report["results"][0]
        self.assertGreater(entry["arrival_spread_us"]["p50"], HALF_SKEW_US)
        self.assertGreater(entry["last_exit_after_root_entry_us"]["p50"], HALF_SKEW_US)
        # A short message is there when its receiver comes: all it spends is its own excess.
        self.assertLess(entry["excess_us"]["p50"], HALF_SKEW_US)

    def test_without_skew_ranks_enter_together(self):
        report = self.measure(2, "--sizes", "1,1K", "--reps", "20", "--skew-ms", "0")
        self.assertEqual(report["settings"]["skew_ms"], 0)
        for entry in report["results"]:
            self.assertLess(entry["arrival_spread_us"]["p50"], 5000)

    def test_says_what_was_measured(self):
        report = self.measure(4, "--sizes", "64", "--reps", "3", "--skew-ms", "1", "--nodes", "0,0,0,1",
                              "--pattern", "late-leaders", "--roots", "fixed", "--root", "2", "--seed", "9",
                              "--warmup", "1")
        self.assertEqual(report["benchmark"], "upa")
        self.assertEqual(report["job"]["node_of_rank"], [0, 0, 0, 1])
        self.assertEqual(report["job"]["nodes"], 2)
        self.assertEqual(report["job"]["ranks"], 4)
        self.assertEqual(report["job"]["clock"], "shared")
        expected = {"pattern": "late-leaders", "skew_ms": 1.0, "single": "rotate", "roots": "fixed", "root": 2,
                    "reps": 3, "warmup": 1, "seed": 9, "margin_ms": 2.0}
        self.assertEqual(report["settings"], expected)
        self.assertIn("4 ranks on 2 nodes", self.output)
        self.assertIn("as-launched", self.output)

    def test_nodes_come_from_the_environment_or_the_machine(self):
        report = self.measure(4, "--sizes", "8", "--reps", "1", "--skew-ms", "1", MPIACTOR_NODES="cyclic:2")
        self.assertEqual(report["job"]["node_of_rank"], [0, 1, 0, 1])
        report = self.measure(4, "--sizes", "8", "--reps", "1", "--skew-ms", "1")
        self.assertEqual(report["job"]["node_of_rank"], [0, 0, 0, 0])

    def test_estimated_clock_agrees_with_the_shared_one(self):
        report = self.measure(2, "--sizes", "8", "--reps", "8", "--skew-ms", SKEW_MS, "--clock", "estimate",
                              "--pattern", "one-late", "--single", "root")
        self.assertEqual(report["job"]["clock"], "estimated")
        self.assertGreater(report["job"]["clock_uncertainty_us"], 0)
        # Both ranks read the same clock, so the true offset is 0: the estimate keeps its promise.
        self.assertLessEqual(report["job"]["clock_offset_us"], report["job"]["clock_uncertainty_us"] + 0.001)
        self.assertGreater(report["results"][0]["arrival_spread_us"]["p50"], HALF_SKEW_US)

    def test_contenders_alternate_within_one_job(self):
        report = self.measure(2, "--sizes", "8,1K", "--reps", "6", "--warmup", "2", "--skew-ms", "0", "--contenders",
                              "off,static,competitive", preload=FAKE_RUNTIME)
        self.assertEqual([(entry["bytes"], entry["contender"], entry["calls"]) for entry in report["results"]],
                         [(size, name, 6) for size in (8, 1024) for name in ("off", "static", "competitive")])
        for entry in report["results"]:
            if entry["contender"] == "static":  # the stand-in makes exactly this one slow
                self.assertGreaterEqual(entry["root_in_call_us"]["p50"], 20000)
            else:
                self.assertLess(entry["root_in_call_us"]["p50"], 10000)
        self.assertIn(f"fake runtime: {2 * (6 + 2) * 3} broadcasts", self.output)

    def test_wrong_data_fails_the_run(self):
        code, output, errors = launch(2, "--sizes", "1001", "--reps", "2", "--skew-ms", "0", "--roots", "fixed",
                                      preload=FAKE_RUNTIME, FAKE_CORRUPT="1")
        self.assertNotEqual(code, 0)
        self.assertIn("rank 1 got wrong data from root 0: 1001 bytes, call 0, first wrong bytes at 1000",
                      output + errors)

    def test_refused_leader_fails_the_run(self):
        code, output, errors = launch(2, "--sizes", "8", "--reps", "2", "--contenders", "off,competitive",
                                      preload=FAKE_RUNTIME, FAKE_REFUSE="1")
        self.assertNotEqual(code, 0)
        self.assertIn("refused leader 'competitive'", output + errors)

    def test_labels_need_not_be_utf8(self):
        report = self.measure(2, "--sizes", "8", "--reps", "2", "--skew-ms", "0", "--label", os.fsdecode(b"caf\xe9"))
        self.assertEqual(report["results"][0]["contender"], "caf\ufffd")

    def test_bad_input_is_named_once(self):
        cases = [
            (["--sizes", "1X"], "--sizes: '1X' is not a message size"),
            (["--pattern", "late"], "--pattern: late not in {random,one-late"),
            (["--skew-ms", "-1"], "--skew-ms: Value -1 not in range"),
            (["--skew-ms", "nan"], "--skew-ms: Value nan not in range"),
            (["--margin-ms", "nan"], "--margin-ms: Value nan not in range"),
            (["--reps", "0"], "--reps: Value 0 not in range"),
            (["--nodes", "3"], "--nodes: node layout '3' does not fit 2 ranks"),
            (["--single", "2"], "--single: '2' singles out no rank"),
            (["--root", "2"], "--root: 2 is not a rank of this job: 0 to 1"),
            (["--contenders", "off,fast"], "--contenders: 'fast' is not a contender"),
            (["--contenders", "off,off"], "--contenders: contender 'off' is given twice"),
            (["--contenders", "off,static"], "--contenders: needs the preloaded runtime"),
            (["--json", "/nonexistent/folder/upa.json"], "--json: cannot write '/nonexistent/folder/upa.json'"),
            (["--repetitions", "3"], "--repetitions"),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                code, output, errors = launch(2, *arguments)
                self.assertIn(code, (1, 2), errors)
                self.assertEqual(errors.count(message), 1, errors)
                self.assertNotIn("size    contender", output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
