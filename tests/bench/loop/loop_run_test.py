#!/usr/bin/env python3
"""Runs loop_run at small rank counts: MPI RUNTIME PROGRAM FAKE_RUNTIME."""

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
FIGURES = ("in_call_us", "floor_us", "net_us", "excess_us", "others_excess_us", "root_in_call_us", "spread_us",
           "whole_us", "floor_whole_us")


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


class LoopRunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = pathlib.Path(folder.name) / "out.json"

    def measure(self, ranks, *arguments, **more):
        code, output, errors = launch(ranks, *arguments, "--json", str(self.json), **more)
        self.assertEqual(code, 0, output + errors)
        self.output = output
        report = json.loads(self.json.read_text(encoding="utf-8"))
        for result in report["results"]:
            self.check_consistent(result, ranks)
            # Nothing is quicker than broadcasts that take no time, where both begin together.
            if report["settings"]["warmup"] == 0:
                self.assertGreaterEqual(result["whole_us"], 0.999 * result["floor_whole_us"])
        return report

    def check_consistent(self, result, ranks):
        for name in FIGURES:
            self.assertIsInstance(result[name], float, name)
        self.assertAlmostEqual(result["net_us"], result["in_call_us"] - result["floor_us"], places=3)
        all_excess = (result["root_in_call_us"] + (ranks - 1) * result["others_excess_us"]) / ranks
        self.assertAlmostEqual(result["excess_us"], all_excess, places=3)
        # Ranks that arrive before the root wait for it: what is left over is less.
        self.assertLessEqual(result["excess_us"], result["in_call_us"] + 0.001)

    def test_each_kind_of_noise_is_measured(self):
        for noise in ("independent", "persistent", "rare"):
            report = self.measure(4, "--sizes", "8,12K", "--steps", "20", "--warmup", "3", "--step-us", "1000",
                                  "--noise-us", "500", "--noise", noise, "--seed", "5", "--label", "plain")
            self.assertEqual(report["benchmark"], "loop")
            self.assertEqual(report["settings"], {"steps": 20, "warmup": 3, "step_us": 1000.0, "noise": noise,
                                                  "noise_us": 500.0, "seed": 5, "root_every": 10})
            self.assertEqual([(entry["bytes"], entry["contender"], entry["steps"]) for entry in report["results"]],
                             [(8, "plain", 20), (12288, "plain", 20)])
            floors = {entry["floor_us"] for entry in report["results"]}
            self.assertEqual(len(floors), 1)  # the same draws for all sizes
            self.assertIn(f"{noise} noise of 500 us, seed 5", self.output)
            self.assertEqual(report["job"]["clock"], "shared")

    def test_the_floor_is_of_the_draws_alone(self):
        arguments = ("--sizes", "8", "--steps", "30", "--step-us", "500", "--noise-us", "2000", "--root-every", "1",
                     "--warmup", "0")
        first, again = (self.measure(4, *arguments)["results"][0] for _ in range(2))
        self.assertGreater(first["floor_us"], 0)
        self.assertEqual((first["floor_us"], first["floor_whole_us"]), (again["floor_us"], again["floor_whole_us"]))
        other = self.measure(4, *arguments, "--seed", "2")["results"][0]
        self.assertNotEqual(first["floor_us"], other["floor_us"])

    def test_nodes_are_those_pretended(self):
        report = self.measure(4, "--sizes", "8", "--steps", "2", "--step-us", "100", "--warmup", "0",
                              MPIACTOR_NODES="cyclic:2")
        self.assertEqual(report["job"]["node_of_rank"], [0, 1, 0, 1])

    def test_wrong_data_fails_the_run(self):
        # The root of steps 0 to 4 is rank 0, then rank 1.
        code, output, errors = launch(2, "--sizes", "1001", "--steps", "3", "--warmup", "2", "--step-us", "100",
                                      "--root-every", "5", preload=FAKE_RUNTIME, FAKE_CORRUPT="1")
        self.assertNotEqual(code, 0)
        self.assertIn("loop_run: rank 1 got wrong data from root 0: 1001 bytes, step 0, first wrong bytes at 1000",
                      output + errors)

    def test_labels_need_not_be_utf8(self):
        report = self.measure(2, "--sizes", "8", "--steps", "2", "--step-us", "100", "--warmup", "0", "--label",
                              os.fsdecode(b"caf\xe9"))
        self.assertEqual(report["results"][0]["contender"], "caf\ufffd")

    def test_bad_input_is_named_once(self):
        for arguments, message in (
                (["--noise", "loud"], "--noise: 'loud' is no kind of noise: choose one of independent, persistent, rare"),
                (["--steps", "0"], "--steps: Value 0 not in range"),
                (["--nodes", "3"], "--nodes: node layout '3' does not fit 2 ranks"),
                (["--json", "/nonexistent/folder/x.json"], "--json: cannot write '/nonexistent/folder/x.json'")):
            with self.subTest(arguments=arguments):
                code, output, errors = launch(2, *arguments)
                self.assertIn(code, (1, 2), errors)
                self.assertEqual(errors.count(message), 1, errors)
                self.assertNotIn("in call", output)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
