#!/usr/bin/env python3
"""Runs pingpong and checks what it reports: MPI RUNTIME PINGPONG."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPI = sys.argv[1]
PINGPONG = os.path.abspath(sys.argv[3])


class PingPongTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = pathlib.Path(folder.name) / "out.json"

    def launch(self, ranks, *arguments, program=(PINGPONG,)):
        command = ["tests/mpiexec.sh", MPI, "-n", str(ranks), *program, *arguments]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False)

    def test_reports_every_size(self):
        done = self.launch(4, "--nodes", "2", "--sizes", "8,64K,1M", "--cell-ms", "5", "--label", "x", "--json", str(self.json))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(self.json.read_text(encoding="utf-8"))
        # Of 0 0 1 1, rank 2 is the first of another node.
        self.assertEqual((report["partner"], report["job"]["nodes"]), (2, 2))
        self.assertEqual([(result["bytes"], result["contender"]) for result in report["results"]],
                         [(8, "x"), (65536, "x"), (1 << 20, "x")])
        for result in report["results"]:
            half = result["half_round_trip_us"]
            self.assertGreaterEqual(result["calls"], 5)
            self.assertGreater(half["p50"], 0)
            self.assertLessEqual(half["p50"], half["p95"])
            # No memory copies faster than 200 GB/s, and no trip takes a second.
            self.assertGreater(half["p50"], result["bytes"] / 200e3)
            self.assertLess(half["p50"], 1e6)

    def test_on_one_node_the_partner_is_rank_1(self):
        done = self.launch(2, "--sizes", "8", "--cell-ms", "1", "--json", str(self.json))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.json.read_text(encoding="utf-8"))["partner"], 1)

    def test_labels_need_not_be_utf8(self):
        done = self.launch(2, "--sizes", "8", "--cell-ms", "1", "--label", os.fsdecode(b"caf\xe9"), "--json", str(self.json))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.json.read_text(encoding="utf-8"))["results"][0]["contender"], "caf\ufffd")

    def test_what_cannot_be_printed_is_a_failure(self):
        unprintable = ("sh", "-c", 'exec "$0" "$@" >/dev/full', PINGPONG)
        for arguments in (["--help"], ["--sizes", "8", "--cell-ms", "1"]):
            done = self.launch(2, *arguments, program=unprintable)
            self.assertEqual(done.returncode, 1, (arguments, done.stderr))
            self.assertRegex(done.stderr, "(?m)^pingpong: .*: No space left on device$")

    def test_bad_input_is_named(self):
        for ranks, arguments, code, text in (
                (2, ["--sizes", "x"], 2, "'x'"), (2, ["--cell-ms", "0"], 2, "--cell-ms"),
                (2, ["--cell-ms", "nan"], 2, "--cell-ms: Value nan"),
                (2, ["--nodes", "0"], 2, "0"), (1, [], 1, "at least 2"),
                (2, ["--json", "/no/folder/x"], 1, "--json: cannot write '/no/folder/x'")):
            done = self.launch(ranks, *arguments)
            self.assertEqual(done.returncode, code, (arguments, done.stderr))
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
