#!/usr/bin/env python3
"""Tests bench/applications with a stand-in for the launcher: APPLICATIONS."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

APPLICATIONS = os.path.abspath(sys.argv[1])

# Times by leader, later rounds being slower; notes who ran.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys
arguments = sys.argv[1:]
value = lambda option: arguments[arguments.index(option) + 1]
log = pathlib.Path(os.environ["STAND_IN_LOG"])
with open(log, "a") as out:
    out.write(value("--leader") + " " + value("--ppn") + "\\n")
if os.environ.get("STAND_IN_FAIL") == value("--leader"):
    print("something broke", file=sys.stderr)
    sys.exit(7)
base = {"off": 4.0, "static": 2.0, "competitive": 1.0}[value("--leader")]
late = sum(1 for line in open(log) if line.split()[0] == value("--leader")) > 1
report = {"broadcast_s": base * (10 if late else 1), "total_s": base + 1, "compute_s": 0.5,
          "arrival_spread_mean_us": 300, "other": 1}
pathlib.Path(value("--json")).write_text(json.dumps(report))
'''


class ApplicationsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.launcher = self.folder / "launcher"
        self.launcher.write_text(LAUNCHER)
        self.launcher.chmod(0o755)
        for name in ("asp", "vcc"):
            (self.folder / "apps" / name).mkdir(parents=True)
            (self.folder / "apps" / name / name).touch()

    def run_it(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, APPLICATIONS, "--bin", str(self.folder), "--launcher", str(self.launcher), *arguments],
            capture_output=True, text=True, check=False,
            env={**os.environ, "STAND_IN_LOG": str(self.folder / "log"), **environment})

    def test_ratios_are_of_medians_and_contenders_take_turns(self):
        result = self.run_it("--applications", "vcc", "--ppn", "2", "--rounds", "3", "--json",
                             str(self.folder / "out.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        order = [line.split()[0] for line in (self.folder / "log").read_text().splitlines()]
        self.assertEqual(order, ["off", "static", "competitive", "static", "competitive", "off",
                                 "competitive", "off", "static"])
        row, = json.loads((self.folder / "out.json").read_text())["summary"]
        self.assertEqual(row["plain"]["broadcast_s"], 40)  # median of 4, 40, 40
        self.assertEqual(row["competitive"]["broadcast_s"], 10)
        self.assertEqual(row["competitive_to_plain"], {"broadcast_s": 0.25, "total_s": 0.4})
        self.assertEqual(row["competitive_to_static"]["broadcast_s"], 0.5)
        self.assertIn("competitive/plain: broadcast 0.25, total 0.40", result.stdout)

    def test_every_application_and_layout_has_its_row(self):
        result = self.run_it("--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        for title in ("asp, 4 hosts x 2 ranks", "asp, 4 hosts x 4 ranks", "vcc, 4 hosts x 2 ranks"):
            self.assertIn(title, result.stdout)

    def test_a_failing_run_is_named(self):
        result = self.run_it("--rounds", "1", STAND_IN_FAIL="static")
        self.assertEqual(result.returncode, 1)
        self.assertIn("asp, 2 ranks a host, static", result.stderr)
        self.assertIn("something broke", result.stderr)

    def test_bad_options_are_named(self):
        for arguments, text in ((["--applications", "xyz"], "allowed are asp, vcc"), (["--ppn", "a"], "--ppn a"),
                                (["--rounds", "0"], "at least 1"), (["--graph", "/nowhere"], "no such file")):
            result = self.run_it(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(text, result.stderr)
        result = self.run_it("--bin", "/nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertIn("bazel build", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
