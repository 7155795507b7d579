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


def noise_report(total_s):
    return {**asp_report(total_s), "reachable": None, "sum": None, "max": None, "asleep": {"seed": 1},
            "noise": {"kind": "independent", "us": 500.0, "seed": 1, "mean_us": 250.0}}


def loop_report(rows):
    """`rows`: (bytes, noise, plain, static, competitive)."""
    return {"settings": {"steps": 40, "step_us": 4000.0, "noise": "independent"},
            "summary": [{"bytes": size, "noise_us": noise_us,
                         "medians": {name: {"in_call_us": value, "net_us": 0.0}
                                     for name, value in zip(("plain", "static", "competitive"), values)}}
                        for size, noise_us, *values in rows]}


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
                self.write(f"noise-{leader}-{number}.json", noise_report(10 * time))
        self.write("loop.json", loop_report([(12288, 0.0, 300, 200, 198), (262144, 3000.0, 900, 700, 350)]))
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
                         [["total", "50.000", "40.000", "20.000", "0.40", "0.50"],
                          ["total", "5.000", "4.000", "2.000", "0.40", "0.50"]])
        self.assertEqual(self.rows(text, "in MPI_Bcast"),
                         [["in", "MPI_Bcast", "25.000", "20.000", "10.000", "0.40", "0.50"],
                          ["in", "MPI_Bcast", "2.500", "2.000", "1.000", "0.40", "0.50"]])
        self.assertIn("2 ranks, computing slept, independent noise of 500 us: seconds, median of 3 runs", text)
        self.assertIn("2 ranks, computed: seconds, median of 3 runs", text)
        self.assertEqual(self.rows(text, "12K,"), [["12K,", "0", "300", "200", "198", "0.66", "0.99"]])
        self.assertEqual(self.rows(text, "256K,"), [["256K,", "3000", "900", "700", "350", "0.39", "0.50"]])
        self.assertEqual(self.rows(text, "64K"), [["64K", "2000", "1000", "250", "0.12", "0.25"],
                                                  ["64K", "0", "100", "10", "-", "0.10"]])
        self.assertIn("Same answer in all 9 runs: vertices=3 arcs=4 reachable=9 sum=10 max=5", text)

    def test_says_where_nothing_is_gained(self):
        _, text, _ = self.run_table()
        line, = (line for line in text.splitlines() if line.startswith("Nothing gained"))
        # Plain's excess of nothing cannot be undercut.
        self.assertEqual(line, "Nothing gained (competitive leaders at 0.95 or more of the better of plain and static): "
                               "arrivals, late-leaders, 64K (-); loop, 12K, noise 0 us (0.99).")
        for number in (1, 2, 3):
            self.write(f"asp-competitive-{number}.json", asp_report(4.4))
        self.assertIn("shortest paths, computed, total (1.10); shortest paths, computed, in MPI_Bcast (1.10); arrivals",
                      self.run_table()[1])

    def test_says_that_all_gained(self):
        self.write("upa-late-leaders.json", benchmark(200, 100, 10))
        self.write("loop.json", loop_report([(12288, 0.0, 300, 200, 100)]))
        self.assertIn("of plain and static): nowhere in these runs.\n", self.run_table()[1])

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
        for name in ("asp-static", "noise-off"):  # noise is read first
            for path in self.folder.glob(f"{name}-*"):
                path.unlink()
            status, _, errors = self.run_table()
            self.assertEqual(status, 1)
            self.assertIn(f"no {name}-*.json", errors)


if __name__ == "__main__":
    SCRIPT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
