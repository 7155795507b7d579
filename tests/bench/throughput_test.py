#!/usr/bin/env python3
"""Tests bench/throughput with a stand-in for the launcher: THROUGHPUT."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

THROUGHPUT = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(THROUGHPUT))

import throughput_fit  # noqa: E402

# Notes its arguments and writes what the program would have: t0 and B by contender, slower in later rounds.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(os.environ["STAND_IN_FOLDER"])
arguments = sys.argv[1:]
value = lambda option: arguments[arguments.index(option) + 1]
if os.environ.get("STAND_IN_FAIL") == value("--label"):
    print("something broke", file=sys.stderr)
    sys.exit(7)
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
same = [json.loads(line) for line in open(folder / "calls")]
pingpong = "pingpong" in arguments[arguments.index("--") + 1]
round_number = sum(call[3] == arguments[3] and ("--verify" in call) != pingpong for call in same)
t0_us, b_mbps = {"plain": (10, 100), "static": (20, 200), "competitive": (5, 400)}[value("--label")]
units = {"K": 1 << 10, "M": 1 << 20}
sizes = [int(size.rstrip("KM")) * units.get(size[-1], 1) for size in value("--sizes").split(",")]
key = "half_round_trip_us" if pingpong else "last_exit_after_start_us"
report = {"job": {"ranks": 4, "nodes": 2, "cores": 2},
          "results": [{"bytes": size, key: {"p50": (t0_us + size / b_mbps) * (1 if round_number < 3 else 50)}}
                      for size in sizes]}
pathlib.Path(value("--json")).write_text(json.dumps(report))
'''


class FitTest(unittest.TestCase):
    def test_points_on_the_curve_give_its_numbers(self):
        fit = throughput_fit.fit_throughput([(size, 7 + size / 450) for size in (8, 1000, 10**5, 10**7)])
        self.assertAlmostEqual(fit.b_mbps, 450, places=6)
        self.assertAlmostEqual(fit.t0_us, 7, places=6)
        self.assertAlmostEqual(fit.m_half_bytes, 7 * 450, places=4)
        self.assertAlmostEqual(fit.r2, 1, places=9)
        self.assertLess(max(fit.b_error / 450, fit.t0_error / 7, fit.m_half_error / 3150, fit.worst_deviation), 1e-6)
        # Half of B at M_half.
        self.assertAlmostEqual(fit.throughput_mbps(fit.m_half_bytes), 225, places=4)

    def test_scatter_gives_the_textbook_errors(self):
        # Least squares of relative errors by hand: A = [1/t, x/t], (A'A)^-1 A'1, residuals' variance times (A'A)^-1.
        points = [(1, 10.0), (2, 12.5), (4, 15.2), (8, 26.0)]
        rows = [(1 / time, size / time) for size, time in points]
        aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
        a1, b1 = sum(row[0] for row in rows), sum(row[1] for row in rows)
        determinant = aa * bb - ab * ab
        t0, slope = (bb * a1 - ab * b1) / determinant, (aa * b1 - ab * a1) / determinant
        variance = sum((row[0] * t0 + row[1] * slope - 1) ** 2 for row in rows) / 2 / determinant
        fit = throughput_fit.fit_throughput(points)
        self.assertAlmostEqual(fit.t0_us, t0, places=6)
        self.assertAlmostEqual(fit.b_mbps, 1 / slope, places=6)
        self.assertAlmostEqual(fit.t0_error, (variance * bb) ** 0.5, places=6)
        self.assertAlmostEqual(fit.b_error, (variance * aa) ** 0.5 / slope**2, places=6)
        of_ratio = variance * (bb + 2 * (t0 / slope) * ab + (t0 / slope) ** 2 * aa) / slope**2
        self.assertAlmostEqual(fit.m_half_error, of_ratio**0.5, places=5)
        self.assertLess(fit.r2, 1)
        self.assertGreater(fit.worst_deviation, 0.01)

    def test_what_cannot_be_fitted(self):
        self.assertIsNone(throughput_fit.fit_throughput([(8, 1.0), (64, 2.0)]))
        self.assertIsNone(throughput_fit.fit_throughput([(8, 30.0), (64, 20.0), (512, 1.0)]))


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.launcher = self.folder / "launcher"
        self.launcher.write_text(LAUNCHER, encoding="utf-8")
        self.launcher.chmod(0o755)
        for program in ("pingpong/pingpong", "matrix/collectives_run"):
            (self.folder / "bench" / program).parent.mkdir(parents=True)
            (self.folder / "bench" / program).touch()

    def run_script(self, *arguments, **settings):
        command = [sys.executable, THROUGHPUT, "--launcher", str(self.launcher), "--bin", str(self.folder), *arguments]
        return subprocess.run(command, env=dict(os.environ, STAND_IN_FOLDER=str(self.folder), **settings),
                              capture_output=True, text=True, timeout=300, check=False)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def test_contenders_take_turns(self):
        done = self.run_script("--virtual-hosts", "2", "--ppn", "2", "--rounds", "2", "--contenders", "competitive,plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual([(pathlib.Path(call[call.index("--") + 1]).name, call[3]) for call in calls],
                         [("pingpong", "off"), ("pingpong", "competitive"), ("collectives_run", "off"),
                          ("collectives_run", "competitive"), ("pingpong", "competitive"), ("pingpong", "off"),
                          ("collectives_run", "competitive"), ("collectives_run", "off")])
        self.assertEqual(calls[0][:10], ["-n", "4", "--leader", "off", "--polite", "on", "--ppn", "2", "--virtual-hosts", "2"])
        # Data are checked in the first round.
        self.assertEqual([call[call.index("--verify") + 1] for call in calls if "--verify" in call], ["on", "on", "off", "off"])

    def test_medians_fits_table_json_and_picture(self):
        json_file, svg = self.folder / "out.json", self.folder / "out.svg"
        done = self.run_script("-n", "4", "--nodes", "2", "--rounds", "3", "--sizes", "8,1K,1M", "--json", str(json_file),
                               "--svg", str(svg))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls()[0][-2 - 2:-2], ["--nodes", "2"])
        summary = json.loads(json_file.read_text(encoding="utf-8"))["summary"]
        self.assertEqual([entry["kind"] for entry in summary], ["pingpong", "bcast"])
        for entry in summary:
            # The third round is 50 times slower: the median does not see it.
            row = entry["rows"][1]
            self.assertEqual(row["bytes"], 1024)
            self.assertAlmostEqual(row["throughput_mbps"]["plain"], 1024 / (10 + 1024 / 100))
            self.assertAlmostEqual(row["ratio_to_plain"]["competitive"], (10 + 1024 / 100) / (5 + 1024 / 400))
            self.assertAlmostEqual(entry["fits"]["static"]["b_mbps"], 200, places=6)
            self.assertAlmostEqual(entry["fits"]["competitive"]["m_half_bytes"], 2000, places=4)
        self.assertIn("4,000 ± 0", done.stdout)  # static: M_half
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertIn(["1K", "50.59", "40.76", "135.45", "|", "0.81", "2.68"], rows)
        texts = [element.text for element in xml.etree.ElementTree.parse(svg).iter() if element.text]
        for text in ("PingPong", "Broadcast", "competitive, fitted"):
            self.assertIn(text, texts)

    def test_too_few_sizes_are_said(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--sizes", "8,1K", "--kinds", "bcast")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no fit: it needs 3 sizes", done.stdout)

    def test_gnuplot_is_looked_for_before_the_rounds(self):
        done = self.run_script("-n", "4", "--rounds", "1", PATH=str(self.folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("throughput: gnuplot cannot be started (No such file or directory)", done.stderr)
        self.assertFalse((self.folder / "calls").exists())

    def test_a_failing_run_is_named(self):
        done = self.run_script("-n", "4", "--rounds", "1", STAND_IN_FAIL="static")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run 'pingpong, static' failed: ended with code 7", done.stderr)
        self.assertIn("something broke", done.stderr)

    def test_bad_options_are_named(self):
        for arguments, text in (([], "give -n RANKS"), (["-n", "1"], "at least 2"), (["-n", "4", "--kinds", "x"], "'x'"),
                                (["-n", "4", "--contenders", "fast"], "'fast' is none of plain, static, competitive"),
                                (["-n", "4", "--rounds", "0"], "--rounds: 0")):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(text, done.stderr)
        for arguments, text in ((["--bin", "/nowhere"], "build it with: bazel build"),
                                (["--svg", "/no/folder/x.svg"], "--svg: cannot write"),
                                (["--json", "/no/folder/x.json"], "--json: cannot write"),
                                (["--json", str(self.folder)], f"--json: cannot write {self.folder}")):
            done = self.run_script("-n", "4", *arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
