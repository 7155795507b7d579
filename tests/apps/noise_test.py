#!/usr/bin/env python3
"""Runs the applications with noise on two pretended nodes: MPI RUNTIME ASP VCC."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

MPI = sys.argv[1]
RUNTIME, ASP, VCC = (os.path.abspath(path) for path in sys.argv[2:5])
TIMEOUT_S = 300
RANKS = 4
# The program, its input, and how many steps a rank takes.
APPLICATIONS = {"asp": (ASP, ["--random", "60", "--seed", "4"], 60),
                "vcc": (VCC, ["--random", "64", "--observations", "200", "--missing", "0.1", "--block", "4"], 16)}
KINDS = ("independent", "persistent", "rare")
SCALE_US = 400
SEED = 6  # gives rare noise even to VCC's few steps


class NoiseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def launch(self, name, *arguments, leader="competitive", ranks=RANKS, **settings):
        """(exit status, stdout, stderr); nothing of it outlives this call."""
        program, data, _ = APPLICATIONS[name]
        settings = {"MPIACTOR_LEADER": leader, "MPIACTOR_NODES": "2" if ranks > 1 else "1",
                    "LD_PRELOAD": RUNTIME, **settings}
        command = ["tests/mpiexec.sh", MPI, "-n", str(ranks)]
        for variable, value in settings.items():
            command += ["-genv", variable, value]
        process = subprocess.Popen(command + [program, *data, *arguments], text=True, start_new_session=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, errors = process.communicate(timeout=TIMEOUT_S)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return process.returncode, output, errors

    def report(self, name, *arguments, **more):
        file = self.folder / "report.json"
        status, output, errors = self.launch(name, *arguments, "--json", str(file), **more)
        self.assertEqual(status, 0, output + errors)
        self.output = output
        return json.loads(file.read_text(encoding="utf-8"))

    def traced(self, name):
        trace = self.folder / f"{name}.trace"
        self.report(name, MPIACTOR_TRACE=str(trace))
        return trace

    def check_slept(self, name, report, steps):
        """That real computing took longer by the noise. Sleeps allow for waking up, as late as it was when measured."""
        noise_s = steps * report["noise"]["mean_us"] / 1e6
        self.assertGreater(report["compute_s"], 0.5 * noise_s, name)

    def test_results_are_right_with_each_kind_and_the_noise_is_slept(self):
        for name, (_, _, steps) in APPLICATIONS.items():
            for kind in KINDS:
                with self.subTest(name=name, kind=kind):
                    report = self.report(name, "--verify", "9", "--noise", kind, "--noise-us", str(SCALE_US),
                                         "--noise-seed", str(SEED))
                    self.assertEqual((report["computing"], report["mismatches"]), ("real", 0))
                    noise = report["noise"]
                    self.assertEqual((noise["kind"], noise["us"], noise["seed"]), (kind, SCALE_US, SEED))
                    self.assertGreater(noise["mean_us"], 0)
                    self.check_slept(name, report, steps)
                    self.assertIn(f"{name}: noise={kind} noise_us={SCALE_US} noise_seed={SEED} noise_mean_us=", self.output)

    def test_results_are_right_with_a_trace(self):
        for name, (_, _, steps) in APPLICATIONS.items():
            with self.subTest(name=name):
                trace = self.traced(name)
                report = self.report(name, "--verify", "9", "--noise", f"trace:{trace}")
                self.assertEqual((report["computing"], report["mismatches"]), ("real", 0))
                self.assertEqual(list(report["noise"]), ["kind", "mean_us"])
                self.assertEqual(report["noise"]["kind"], f"trace:{trace}")
                self.check_slept(name, report, steps)

    def test_a_batch_sleeps_the_noise_of_all_its_steps(self):
        _, _, steps = APPLICATIONS["asp"]
        batch = ["--batch", "32"]
        trace = self.folder / "noisy.trace"
        drawn = self.report("asp", *batch, "--noise-us", str(SCALE_US))
        self.report("asp", "--noise-us", str(SCALE_US), MPIACTOR_TRACE=str(trace))
        recorded = self.report("asp", *batch, "--noise", f"trace:{trace}")
        for report in (drawn, recorded):
            self.check_slept("asp", report, steps)

    def test_slept_steps_are_longer_by_the_noise(self):
        for name, (_, _, steps) in APPLICATIONS.items():
            with self.subTest(name=name):
                first = self.report(name, "--computing", "asleep")
                self.assertIsNone(first["noise"])
                costs = self.folder / "costs.json"
                costs.write_text(json.dumps(first), encoding="utf-8")
                sleep = ["--computing", "asleep", "--costs", str(costs)]
                noisy = [self.report(name, *sleep, "--slower", "2", "--noise-us", str(SCALE_US), leader=leader)
                         for leader in ("competitive", "off")]
                for report in noisy:
                    asked_s = 2 * first["asleep"]["asked_s"] + steps * report["noise"]["mean_us"] / 1e6
                    self.assertAlmostEqual(report["asleep"]["asked_s"], asked_s, places=6)
                    floor_s = report["asleep"]["floor_broadcast_s"]
                    self.assertGreater(floor_s, 0)
                    self.assertGreater(report["broadcast_s"], 0.5 * floor_s)
                # The same draws whoever broadcasts, others with another seed.
                self.assertEqual(noisy[0]["noise"], noisy[1]["noise"])
                self.assertEqual(*(report["asleep"]["floor_broadcast_s"] for report in noisy))
                alone = self.report(name, "--computing", "asleep", "--noise-us", str(SCALE_US), ranks=1)
                self.assertEqual(alone["asleep"]["floor_broadcast_s"], 0)
                other = self.report(name, *sleep, "--noise-us", str(SCALE_US), "--noise-seed", "2")
                self.assertNotEqual(other["noise"]["mean_us"], noisy[0]["noise"]["mean_us"])

    def test_slept_steps_last_as_long_as_recorded(self):
        for name, (_, _, steps) in APPLICATIONS.items():
            with self.subTest(name=name):
                report = self.report(name, "--computing", "asleep", "--noise", f"trace:{self.traced(name)}")
                self.assertGreater(report["noise"]["mean_us"], 0)
                self.assertAlmostEqual(report["asleep"]["asked_s"], steps * report["noise"]["mean_us"] / 1e6, places=6)

    def test_bad_traces_are_named_once(self):
        trace = self.traced("asp")
        broken = self.folder / "broken"
        broken.write_bytes(trace.read_bytes()[:-1])
        for file, ranks, text in ((trace, 2, "offset 0: is of 4 ranks; this run has 2"),
                                  (broken, 4, "records are not all there"),
                                  (self.folder / "none", 2, "cannot be opened: No such file")):
            status, output, errors = self.launch("asp", "--noise", f"trace:{file}", ranks=ranks)
            self.assertEqual(status, 1, output + errors)
            self.assertEqual(errors.count(f"asp: --noise trace:{file}: "), 1, errors)
            self.assertIn(text, errors)

    def test_bad_options_are_named_once(self):
        for name in APPLICATIONS:
            for arguments, text in (
                    (["--noise", "loud", "--noise-us", "5"],
                     "--noise: 'loud' is no kind of noise: choose one of independent, persistent, rare or trace:FILE"),
                    (["--noise-us", "-1"], "--noise-us: Value -1 not in range")):
                status, _, errors = self.launch(name, *arguments, ranks=2)
                self.assertEqual(status, 2, errors)
                self.assertEqual(errors.count(text), 1, errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
