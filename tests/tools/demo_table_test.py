#!/usr/bin/env python3
"""The closing table of the demo: DEMO_TABLE"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = ""


def asp_report(total_s, total=10):
    return {"vertices": 3, "arcs": 4, "reachable": 9, "sum": total, "max": 5, "ranks": 2,
            "total_s": total_s, "broadcast_s": total_s / 2, "compute_s": total_s / 4}


def benchmark(plain, static, competitive):
    medians = {"plain": plain, "static": static, "competitive": competitive}
    entry = {"measure": "excess_us.mean", "bytes": 65536, "medians": medians}
    other = {"measure": "excess_us.p95", "bytes": 1024, "medians": medians}
    return {"summary": [entry, other]}


class DemoTable(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        for leader, times in (("off", (8, 4, 5)), ("static", (4, 5, 3)), ("competitive", (1, 2, 9))):
            for number, time in enumerate(times, 1):
                self.write(f"asp-{leader}-{number}.json", asp_report(time))
        self.write("upa-random.json", benchmark(2000, 1000, 250))
        self.write("upa-late-leaders.json", benchmark(0, 100, 10))

    def write(self, name, value):
        (self.folder / name).write_text(json.dumps(value), encoding="utf-8")

    def run_table(self):
        done = subprocess.run([SCRIPT, str(self.folder)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def rows(self, text, label):
        return [line.split() for line in text.splitlines() if line.strip().startswith(label)]

    def test_gives_medians_and_ratios(self):
        status, text, _ = self.run_table()
        self.assertEqual(status, 0)
        self.assertEqual(self.rows(text, "total"),
                         [["total", "5.000", "4.000", "2.000", "0.40", "0.50"]])
        self.assertEqual(self.rows(text, "in MPI_Bcast"),
                         [["in", "MPI_Bcast", "2.500", "2.000", "1.000", "0.40", "0.50"]])
        self.assertEqual(self.rows(text, "64K"), [["64K", "2000", "1000", "250", "0.12", "0.25"],
                                                  ["64K", "0", "100", "10", "-", "0.10"]])
        self.assertIn("Same answer in all 9 runs: vertices=3 arcs=4 reachable=9 sum=10 max=5", text)

    def test_different_answers_fail_and_name_the_modes(self):
        self.write("asp-static-2.json", asp_report(5, total=11))
        status, text, _ = self.run_table()
        self.assertEqual(status, 1)
        self.assertIn("DIFFERENT ANSWERS", text)
        self.assertIn("  static: vertices=3 arcs=4 reachable=9 sum=11 max=5", text)

    def test_names_what_is_missing(self):
        (self.folder / "upa-late-leaders.json").unlink()
        status, _, errors = self.run_table()
        self.assertEqual(status, 1)
        self.assertIn("upa-late-leaders.json: No such file", errors)
        for path in self.folder.glob("asp-static-*"):
            path.unlink()
        status, _, errors = self.run_table()
        self.assertEqual(status, 1)
        self.assertIn("no asp-static-*.json", errors)


if __name__ == "__main__":
    SCRIPT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
