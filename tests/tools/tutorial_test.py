#!/usr/bin/env python3
"""Runs the commands of the tutorial as they stand there, with fewer rounds: TUTORIAL LAUNCHER REPORT BUILT..."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TUTORIAL, LAUNCHER, REPORT, *BUILT = sys.argv[1:]
TEXT = pathlib.Path(TUTORIAL).read_text(encoding="utf-8")
BUILD = re.compile(r"bazel build (.*)")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


class TutorialTest(unittest.TestCase):
    """In a folder that looks like the root of the repository after the build."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"), ignore_cleanup_errors=True)
        cls.addClassCleanup(scratch.cleanup)
        cls.root = pathlib.Path(scratch.name).resolve()
        tools = cls.root / "tools"
        shutil.copytree(pathlib.Path(REPORT).resolve().parent, tools / "report",
                        ignore=shutil.ignore_patterns("__pycache__"))
        (tools / "mpiactor-report").symlink_to("report/mpiactor-report")
        shutil.copy(LAUNCHER, tools)
        for file in BUILT:
            place = cls.root / "bazel-bin" / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
        program, = blocks("c")
        (cls.root / "late.c").write_text(program, encoding="utf-8")
        cls.outputs = [cls.run_block(block) for block in blocks("sh")]

    @classmethod
    def run_block(cls, block):
        if BUILD.match(block):
            return ""
        script = "set -euo pipefail\n" + block.replace("./late 200", "./late 20")
        done = subprocess.run(["bash", "-c", script], cwd=cls.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode} from:\n{block}\n{done.stdout}")
        return done.stdout

    def output_of(self, part):
        return next(output for block, output in zip(blocks("sh"), self.outputs) if part in block)

    def test_builds_what_it_uses(self):
        targets = [target for block in blocks("sh") for line in BUILD.findall(block) for target in line.split()]
        self.assertEqual(sorted(targets), sorted("//" + ":".join(os.path.split(file)) for file in BUILT))

    def test_runtime_takes_part(self):
        self.assertRegex(self.output_of("MPIACTOR_VERBOSE info"), r"mpiactor: rank 0: \d+ calls hybrid")
        # Roots' numbers 0 to 19, added up on eight ranks.
        self.assertIn("total 1520 after", self.output_of("tools/mpiactor-run -n 8 --nodes 4 -- ./late"))

    def test_pages_show_what_the_text_says(self):
        page = html.unescape((self.root / "off.html").read_text(encoding="utf-8"))
        for heading in ("Where time in collectives went", "Lateness of ranks", "Where in the program",
                        "What leaders would have cost (modelled)"):
            self.assertIn(heading, page)
            self.assertIn(heading, TEXT)
        self.assertIn("Side by side", (self.root / "compare.html").read_text(encoding="utf-8"))

    def test_call_sites_are_the_lines_of_the_program(self):
        report = json.loads((self.root / "compare.json").read_text(encoding="utf-8"))
        self.assertEqual([trace["label"] for trace in report["traces"]], ["plain", "static", "competitive"])
        self.assertEqual([trace["nodes"] for trace in report["traces"]], [4, 4, 4])
        line = (self.root / "late.c").read_text(encoding="utf-8").split("MPI_Bcast")[0].count("\n") + 1
        self.assertIn(f"in line {line} of `late.c`", TEXT)
        for trace in report["traces"]:
            self.assertEqual({row["site"] for row in trace["call_sites"] if row["operation"] == "MPI_Bcast"},
                             {f"late.c:{line} main"})
        self.assertIn(f"competitive late.c:{line} main 20 calls", self.output_of("python3 -"))

    def test_every_contender_runs_in_every_round(self):
        output = self.output_of("for round in")
        for leader in ("off", "static", "competitive"):
            self.assertEqual(len(re.findall(rf"^{leader}: total 1520 after", output, re.MULTILINE)), 3, output)

    def test_settings_are_shown(self):
        self.assertIn("chain", self.output_of("MPIACTOR_BCAST=chain bazel-bin"))
        self.assertRegex(self.output_of("--explain"), "linear|chain|binomial")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
