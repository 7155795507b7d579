#!/usr/bin/env python3
"""Tests bench/results/results with stand-ins for the benchmarks: RESULTS PAGES..."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RESULTS = pathlib.Path(os.path.abspath(sys.argv[1]))
PAGES = [pathlib.Path(os.path.abspath(page)) for page in sys.argv[2:]]
sys.dont_write_bytecode = True
sys.path[:0] = [str(RESULTS.parent), str(RESULTS.parent.parent)]
import sections  # noqa: E402

JOB = {"cores": 2, "mpi_library": "MPICH Version: 4.0.2"}
RUNS = [{"report": {"job": JOB}}]

# Notes what it was called with; writes the document that was laid ready for it, or fails.
BENCHMARK = '''#!/usr/bin/env python3
import os, pathlib, shutil, sys
folder = pathlib.Path(os.environ["STAND_IN_FOLDER"])
with open(folder / "calls", "a") as calls:
    print(pathlib.Path(sys.argv[0]).name, *sys.argv[1:], file=calls)
if os.environ.get("STAND_IN_FAIL", "nothing") in sys.argv:
    sys.exit("something broke")
shutil.copy(folder / "document", sys.argv[sys.argv.index("--json") + 1])
'''


def entry(row, size, **medians):
    return {"row": row, "bytes": size, "medians_us": medians,
            "speedups": {name: medians["plain"] / value for name, value in medians.items() if name != "plain"}
            if "plain" in medians else {}}


class TablesTest(unittest.TestCase):
    def test_speeds_have_means_and_say_how_many_are_low(self):
        document = {"summary": [entry("bcast", 8, plain=8, competitive=2),
                                entry("bcast", 1024, plain=9, competitive=10),
                                entry("scatter", 8, plain=1, competitive=1),
                                entry("barrier", 0, plain=3, competitive=1)]}
        self.assertEqual(sections.speed_lines(document), [
            "|  | 8 | 1K | mean |", "|---|---|---|---|", "| bcast | 4.00 | 0.90 | 1.90 |",
            "| scatter | 1.00 | - | 1.00 |", "", "Barrier 3.00; over all **1.81**. 1 of 4 cells is below 0.95."])

    def test_ratios_are_of_medians_and_their_means_geometric(self):
        document = {"summary": [entry("bcast", 8, plain=8, openmpi=4, competitive=2),
                                entry("bcast", 1024, plain=8, openmpi=16, competitive=2)]}
        self.assertEqual(sections.ratios_lines(("plain", "plain"), ("openmpi", "competitive"), document), [
            "|  | 8 | 1K |", "|---|---|---|", "| bcast | 2.00/4.00 | 0.50/4.00 |", "",
            "Geometric mean **1.00/4.00**."])

    def test_loops_tell_noise_from_none(self):
        def row(size, noise, net):
            return {"bytes": size, "noise_us": noise,
                    "medians": {"plain": {"net_us": net}, "static": {"net_us": net / 2}}}
        document = {"settings": {"noise": "rare"}, "summary": [row(8192, 0, 10), row(8192, 3000, 2000)]}
        self.assertEqual(sections.loop_cells(document, True, "net_us", [8192], ("plain", "static")), ["2,000/1,000"])
        self.assertEqual(sections.loop_cells(document, False, "net_us", [8192], ("plain", "static")), ["10/5.0"])
        self.assertEqual(sections.ways_lines(document)[2:], ["| no noise | 10 | 5.0 |",
                                                             "| one step in 100 up to 300 ms late | 2,000 | 1,000 |"])

    def test_applications_have_seconds_and_their_ratios(self):
        row = {"application": "asp", "ppn": 2, "plain": {"broadcast_s": 2.0}, "static": {"broadcast_s": 1.0},
               "competitive": {"broadcast_s": 0.5}, "competitive_to_plain": {"broadcast_s": 0.25},
               "competitive_to_static": {"broadcast_s": 0.5}}
        self.assertEqual(sections.applications_lines({"summary": [row]})[2:],
                         ["| ASP, 4 x 2 | 2.000 | 1.000 | 0.500 | 0.25 | 0.50 |"])

    def test_throughput_without_a_fit_says_so(self):
        fit = {"b_mbps": 1234.5, "m_half_bytes": 9876.0, "t0_us": 8.0, "r2": 0.9876}
        document = {"summary": [{"kind": "pingpong", "fits": {}},
                                {"kind": "bcast", "fits": {"plain": fit, "static": None}}]}
        self.assertEqual(sections.throughput_lines(["here"], document)[2:],
                         ["| here | MPICH | 1,234 | 9,876 | 8.0 | 0.988 |",
                          "|  | static | no fit | no fit | no fit | no fit |"])

    def test_readmes_table_is_of_16_kib(self):
        late = {"summary": [entry(f"{name}@rotate/others", size, plain=size, competitive=size // 16)
                            for name in ("bcast", "reduce", "gather", "scatter", "scatterv") for size in (1024, 16384)]}
        speeds = {"summary": [entry("bcast", 8, plain=3, competitive=2)]}
        lines = sections.gain_lines(late, speeds, speeds)
        self.assertIn("| broadcast, ranks late | 16,384 us | **1,024 us** |", lines)
        self.assertIn("| all collectives, nobody late, one node | 1 | **1.50** times as fast |", lines)
        self.assertIn("| no gain: scatterv, ranks late | 16,384 us | 1,024 us |", lines)


class CommandTest(unittest.TestCase):
    """In a tree of its own, whose benchmarks are stand-ins."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "bench" / "results").mkdir(parents=True)
        for file in (RESULTS, RESULTS.parent / "sections.py"):
            shutil.copy(file, self.root / "bench" / "results")
        shutil.copy(RESULTS.parent.parent / "job_runner.py", self.root / "bench")
        for name in ("collectives", "compare", "applications"):
            (self.root / "bench" / name).write_text(BENCHMARK, encoding="utf-8")
            (self.root / "bench" / name).chmod(0o755)
        self.lay_ready({"summary": [{"measure": "excess_us.mean", "bytes": 1024, "ratios": {"competitive/static": 0.5},
                                     "medians": {"plain": 4000.0, "static": 20.0, "competitive": 10.0}}], "runs": RUNS})
        self.page = self.root / "page.md"
        self.page.write_text("before\n<!-- figures: late-16-hosts -->\nold\n<!-- end of figures -->\nbetween\n"
                             "<!-- figures: machine -->\n<!-- end of figures -->\nafter\n", encoding="utf-8")

    def lay_ready(self, document):
        (self.root / "document").write_text(json.dumps(document), encoding="utf-8")

    def run_script(self, *arguments, **settings):
        command = [sys.executable, str(self.root / "bench" / "results" / "results"), *map(str, arguments)]
        return subprocess.run(command, env=dict(os.environ, STAND_IN_FOLDER=str(self.root), **settings),
                              capture_output=True, text=True, timeout=300, check=False)

    def calls(self):
        return (self.root / "calls").read_text(encoding="utf-8").splitlines()

    def test_what_is_measured_is_kept_and_written_between_the_marks(self):
        figures = self.root / "figures"
        for _ in range(2):  # the second time there is nothing to run
            done = self.run_script("measure", figures, "--only", "late-16-hosts")
            self.assertEqual(done.returncode, 0, done.stderr)
        [call] = self.calls()
        self.assertRegex(call, "^compare --virtual-hosts 16 --ppn 4 .*--skew-ms 100 ")
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.page.read_text(encoding="utf-8")
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("before\n<!-- figures: late-16-hosts -->\n```\nbench/compare --virtual-hosts "))
        self.assertIn("\n| 1 KiB | 4,000 | 20 | 10 | 0.50 |\n<!-- end of figures -->\nbetween\n", text)
        self.assertRegex(text, r"All figures are of one virtual machine, 20\d\d-\d\d-\d\d: 2 cores \(.+\), "
                         r".+, MPICH 4\.0\.2\.\n")
        self.assertTrue(text.endswith("after\n"))
        written = self.page.stat().st_mtime_ns
        self.assertEqual(self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page).stdout, "")
        self.assertEqual(self.page.stat().st_mtime_ns, written)

    def test_figures_of_another_command_do_not_count(self):
        figures = self.root / "figures"
        self.assertEqual(self.run_script("measure", figures, "--only", "late-16-hosts").returncode, 0)
        kept = figures / "late-16-hosts.json"
        kept.write_text(kept.read_text(encoding="utf-8").replace("--skew-ms 100", "--skew-ms 10"), encoding="utf-8")
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("late-16-hosts.json: of another command: bench/compare --virtual-hosts 16 ", done.stderr)
        # Neither do those that do not say of which.
        without = json.loads(kept.read_text(encoding="utf-8"))
        del without["command"]
        kept.write_text(json.dumps(without), encoding="utf-8")
        self.assertEqual(self.run_script("measure", figures, "--only", "late-16-hosts").returncode, 0)
        self.assertEqual(len(self.calls()), 2)
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_failing_command_is_named_and_the_others_still_run(self):
        figures = self.root / "figures"
        done = self.run_script("measure", figures, "--only", "late-leaders,late-16-hosts", STAND_IN_FAIL="late-leaders")
        self.assertEqual(done.returncode, 1)
        self.assertIn("results: late-leaders ended with code 1: bench/compare", done.stderr)
        self.assertIn("something broke", done.stderr)
        self.assertIn("1 of 3 commands failed: late-leaders; call this again to repeat them", done.stderr)
        self.assertEqual(len(self.calls()), 3)
        done = self.run_script("measure", figures, "--only", "late-leaders,late-16-hosts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls()), 4)

    def test_what_is_missing_or_unreadable_is_named(self):
        figures = self.root / "figures"
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"results: {figures}/late-16-hosts.json: No such file or directory; measure first\n"))
        self.assertEqual(self.run_script("measure", figures, "--only", "late-16-hosts").returncode, 0)
        self.page.write_text("no marks\n", encoding="utf-8")
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "results: no page has a place for late-16-hosts, machine\n"))
        self.lay_ready({"summary": [{"measure": "excess_us.mean", "bytes": 1024, "ratios": {}, "medians": {}}]})
        (figures / "late-16-hosts.json").unlink()
        self.assertEqual(self.run_script("measure", figures, "--only", "late-16-hosts").returncode, 0)
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("late-16-hosts.json: no figures of 'plain'; was a contender left out", done.stderr)
        (figures / "late-16-hosts.json").write_text("{", encoding="utf-8")
        done = self.run_script("write", figures, "--only", "late-16-hosts", "--pages", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("late-16-hosts.json: not JSON (", done.stderr)
        done = self.run_script("measure", figures, "--only", "applications", "--graph", "/no/graph")
        self.assertEqual(done.returncode, 1)
        self.assertIn("results: --graph: there is no file /no/graph", done.stderr)
        done = self.run_script("measure", self.page / "figures", "--only", "late-16-hosts")
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"results: {self.page}/figures: cannot write there: Not a directory\n"))
        done = self.run_script("measure", figures, "--only", "everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--only: 'everything' is none of gain, late-ranks, ", done.stderr)


class PagesTest(unittest.TestCase):
    def test_every_section_has_its_place_and_shows_its_commands(self):
        texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        blocks = dict(re.findall(r"<!-- figures: (.*?) -->\n(.*?)<!-- end of figures -->", texts, re.DOTALL))
        self.assertEqual(sorted(blocks), sorted([section.name for section in sections.SECTIONS] + ["machine"]))
        for section in sections.SECTIONS:
            with self.subTest(section.name):
                shown = re.findall(r"```\n(.*?)\n```", blocks[section.name], re.DOTALL)
                expected = "\n".join(command.shown() for command in section.commands)
                self.assertEqual(shown, [expected] if section.shows_commands else [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
