#!/usr/bin/env python3
"""Tests bench/loop/loop with a stand-in for the launcher: LOOP."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

LOOP = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("loop", LOOP)
loop = importlib.util.module_from_spec(importlib.util.spec_from_loader("loop", _loader))
sys.modules["loop"] = loop
_loader.exec_module(loop)

# Notes its arguments and writes what the program would have: in the call 1,000 us of noise and what the contender adds,
# ten times as much in its second run.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(os.environ["STAND_IN_FOLDER"])
arguments = sys.argv[1:]
value = lambda option: arguments[arguments.index(option) + 1]
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
calls = [json.loads(line) for line in open(folder / "calls")]
name, noise_us = value("--label"), float(value("--noise-us"))
if os.environ.get("STAND_IN_FAIL") == name:
    print("something broke", file=sys.stderr)
    sys.exit(7)
number = sum(value("--label") == name and call[call.index("--label") + 1] == name
             and call[call.index("--noise-us") + 1] == value("--noise-us") for call in calls)
added = {"plain": 400.0, "static": 200.0, "competitive": 100.0, "tree": 50.0}[name] * (10 if number == 2 else 1)
sizes = [{"K": 1024}.get(size[-1]) * int(size[:-1]) for size in value("--sizes").split(",")]
results = [{"bytes": size, "contender": name, "steps": 5, "late_entries": 0, "in_call_us": noise_us / 2 + added,
            "floor_us": noise_us / 2, "net_us": added, "excess_us": added, "others_excess_us": added,
            "root_in_call_us": added, "spread_us": noise_us, "whole_us": 1e6 + added, "floor_whole_us": 1e6}
           for size in sizes]
settings = {"steps": int(value("--steps")), "warmup": 10, "step_us": float(value("--step-us")),
            "noise": value("--noise"), "noise_us": noise_us, "seed": int(value("--seed")), "root_every": 10}
report = {"benchmark": "loop", "settings": settings, "job": {"ranks": 4, "nodes": 2, "cores": 2}, "results": results}
pathlib.Path(value("--json")).write_text(json.dumps(report))
'''


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.launcher = self.folder / "launcher"
        self.launcher.write_text(LAUNCHER, encoding="utf-8")
        self.launcher.chmod(0o755)

    def run_script(self, *arguments, **settings):
        command = [sys.executable, LOOP, "--launcher", str(self.launcher), "--program", str(self.launcher),
                   "--runtime", "/runtime.so", "--json", str(self.folder / "out.json"), *arguments]
        environment = dict(os.environ, STAND_IN_FOLDER=str(self.folder), **settings)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def document(self):
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_contenders_take_turns_and_meet_the_same_noise(self):
        done = self.run_script("--virtual-hosts", "2", "--ppn", "2", "--rounds", "2", "--sizes", "4K", "--noise", "rare",
                               "--noise-us", "500,0", "--seed", "7", "--steps", "9", "--step-us", "100", "--root-every", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual([(call[call.index("--noise-us") + 1], call[call.index("--label") + 1]) for call in calls],
                         [("0", "plain"), ("0", "static"), ("0", "competitive"),
                          ("500", "static"), ("500", "competitive"), ("500", "plain"),
                          ("0", "static"), ("0", "competitive"), ("0", "plain"),
                          ("500", "competitive"), ("500", "plain"), ("500", "static")])
        self.assertEqual(calls[0][:12], ["-n", "4", "--leader", "off", "--polite", "on", "--ppn", "2",
                                         "--virtual-hosts", "2", "--runtime", "/runtime.so"])
        for call in calls:
            for option, value in (("--seed", "7"), ("--noise", "rare"), ("--steps", "9"), ("--step-us", "100"),
                                  ("--root-every", "3"), ("--sizes", "4K")):
                self.assertEqual(call[call.index(option) + 1], value)

    def test_table_and_json_have_medians_and_their_ratios(self):
        done = self.run_script("-n", "4", "--nodes", "2", "--rounds", "3", "--sizes", "4K,256K", "--noise-us", "0,1000",
                               "--contenders", "competitive,plain,static")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertIn(["size", "noise", "floor", "|", "plain", "static", "competitive", "|", "in", "call", "net",
                       "excess", "whole"], rows)
        for size in ("4K", "256K"):
            self.assertIn([size, "0", "0", "|", "400", "200", "100", "|", "0.50", "0.50", "0.50", "1.00"], rows)
            self.assertIn([size, "1000", "500", "|", "900", "700", "600", "|", "0.86", "0.50", "0.50", "1.00"], rows)
        document = self.document()
        self.assertEqual(document["settings"]["noise_us"], [0, 1000])
        self.assertEqual(len(document["runs"]), 2 * 3 * 3)
        self.assertEqual([(row["bytes"], row["noise_us"]) for row in document["summary"]],
                         [(4096, 0), (4096, 1000), (262144, 0), (262144, 1000)])
        row = document["summary"][1]
        self.assertEqual({name: medians["in_call_us"] for name, medians in row["medians"].items()},
                         {"plain": 900, "static": 700, "competitive": 600})
        self.assertEqual(sorted(row["rounds_in_call_us"]["static"]), [700, 700, 2500])
        self.assertAlmostEqual(row["competitive_to_static"]["in_call_us"], 600 / 700)
        self.assertAlmostEqual(row["competitive_to_plain"]["net_us"], 0.25)

    def test_the_picture_has_a_diagram_a_size(self):
        picture = self.folder / "noise.svg"
        done = self.run_script("-n", "4", "--rounds", "1", "--sizes", "4K,8K", "--svg", str(picture))
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = [element.text for element in xml.etree.ElementTree.parse(picture).iter()]
        for text in ("Broadcasts of 4K, independent noise", "Broadcasts of 8K, independent noise", "competitive",
                     "a broadcast of no time", "noise, us"):
            self.assertIn(text, texts)

    def test_without_static_leaders_there_are_no_ratios(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--sizes", "4K", "--contenders", "plain,competitive")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("competitive/static", done.stdout)
        self.assertEqual(self.document()["summary"][0]["competitive_to_static"], {})

    def test_variants_are_competitive_with_settings(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--sizes", "4K", "--noise-us", "0", "--contenders", "static",
                               "--variant", "tree:MPIACTOR_BCAST=binomial;MPIACTOR_WINDOW=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        static, tree = self.calls()
        self.assertNotIn("-genv", static)
        self.assertEqual(tree[tree.index("-genv"):][:6],
                         ["-genv", "MPIACTOR_BCAST", "binomial", "-genv", "MPIACTOR_WINDOW", "2"])
        self.assertEqual(tree[tree.index("--leader") + 1], "competitive")
        self.assertEqual(self.document()["summary"][0]["medians"]["tree"]["in_call_us"], 50)

    def test_a_failing_run_is_named(self):
        done = self.run_script("-n", "4", "--rounds", "1", STAND_IN_FAIL="static")
        self.assertEqual(done.returncode, 1)
        self.assertIn("loop: run 'static, noise 0 us' failed: ended with code 7", done.stderr)
        self.assertIn("something broke", done.stderr)

    def test_bad_options_are_named(self):
        for arguments, text in (
                ([], "give -n RANKS, or --virtual-hosts H and --ppn K"),
                (["-n", "0"], "--ranks: 0 is less than 1"),
                (["-n", "4", "--rounds", "0"], "--rounds: 0 is less than 1"),
                (["-n", "4", "--steps", "0"], "--steps: 0 is less than 1"),
                (["-n", "4", "--step-us", "-1"], "--step-us: -1 is less than 0"),
                (["-n", "4", "--contenders", "plain,fast"],
                 "--contenders: 'fast' is none of plain, openmpi, openmpi-han, static, competitive"),
                (["-n", "4", "--variant", "static:A=1"], "--variant: 'static:A=1' is not NAME:VAR=VALUE"),
                (["-n", "4", "--noise", "loud"], "invalid choice: 'loud' (choose from "),
                (["-n", "4", "--noise-us", "0,x"], "--noise-us: 'x' is not a number of microseconds from 0 to 60000000"),
                (["-n", "4", "--noise-us", "-5"], "--noise-us: '-5' is not a number of microseconds")):
            with self.subTest(arguments=arguments):
                done = self.run_script(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)
        for option in ("--json", "--svg"):
            done = self.run_script("-n", "4", option, "/no/folder/x")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{option}: cannot write /no/folder/x", done.stderr)
            done = self.run_script("-n", "4", option, str(self.folder))
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{option}: cannot write {self.folder}", done.stderr)
        done = self.run_script("-n", "4", "--program", "/no/program")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--program: /no/program does not exist; build it with: bazel build", done.stderr)


class OpenMpiTest(unittest.TestCase):
    def plan(self, missing=""):
        options, _ = loop.parse_arguments(["-n", "4", "--contenders", "plain,openmpi,openmpi-han"])
        with unittest.mock.patch.object(loop.job_runner, "missing_openmpi", return_value=missing), \
                unittest.mock.patch.object(loop.job_runner, "build_for_openmpi", return_value="/program") as build:
            contenders, skipped = loop.plan_contenders(options)
        return {contender.name: contender.command for contender in contenders}, skipped, build.call_count

    def test_both_run_the_same_program_and_han_comes_first_in_its_own(self):
        commands, skipped, builds = self.plan()
        self.assertEqual((list(commands), skipped, builds), (["plain", "openmpi", "openmpi-han"], [], 1))
        han = commands["openmpi-han"]
        self.assertEqual(han[han.index("coll_han_priority") + 1], "100")
        self.assertNotIn("coll_han_priority", commands["openmpi"])
        for name in ("openmpi", "openmpi-han"):
            self.assertEqual(commands[name][-3:], ["/program", "--label", name])

    def test_without_open_mpi_they_are_left_out_with_the_reason(self):
        commands, skipped, builds = self.plan(missing="not found")
        self.assertEqual((list(commands), skipped, builds),
                         (["plain"], ["openmpi: not found", "openmpi-han: not found"], 0))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
