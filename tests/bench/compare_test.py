#!/usr/bin/env python3
"""Tests bench/compare with a stand-in for the launcher: COMPARE."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = os.path.abspath(sys.argv[1])
_loader = importlib.machinery.SourceFileLoader("compare", COMPARE)
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", _loader))
sys.modules["compare"] = compare  # dataclasses look their module up
sys.dont_write_bytecode = True
_loader.exec_module(compare)

# Notes its arguments and writes what upa would have: figures that depend on contender and round.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys, time
folder = pathlib.Path(os.environ["STAND_IN_FOLDER"])
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
arguments = sys.argv[1:]
value = lambda option: arguments[arguments.index(option) + 1]
if os.environ.get("STAND_IN_FAIL") == value("--leader"):
    print("something broke", file=sys.stderr)
    sys.exit(7)
if os.environ.get("STAND_IN_HANG") == value("--leader"):
    time.sleep(60)
base = {"off": 100.0, "static": 50.0, "competitive": 5.0, "as-is": 1000.0, "plain": 100.0}
number = sum(1 for _ in open(folder / "calls"))
names = value("--contenders").split(",") if "--contenders" in arguments else [value("--label")]
def result(size, name):
    figures = dict.fromkeys(("mean", "p50", "p95", "max"), base[name] + number)
    kinds = ("in_call_us", "excess_us", "root_in_call_us", "last_exit_after_last_arrival_us",
             "last_exit_after_root_entry_us", "arrival_spread_us")
    return {"bytes": size, "contender": name, "calls": 2, "late_entries": 1, **{kind: figures for kind in kinds}}
report = {"settings": {"pattern": "random", "skew_ms": float(value("--skew-ms")), "roots": "rotate", "reps": 2},
          "job": {"ranks": 16, "nodes": 4, "cores": 2},
          "results": [result(size, name) for size in (8, 65536) for name in names]}
pathlib.Path(value("--json")).write_text(json.dumps(report))
'''


class FiguresTest(unittest.TestCase):
    def test_ratios_are_of_medians(self):
        def run(**figures):
            results = [{"bytes": 8, "contender": name, **{kind: dict.fromkeys(("mean", "p50", "p95", "max"), value)
                        for kind in ("excess_us", "in_call_us", "root_in_call_us", "last_exit_after_last_arrival_us",
                                     "last_exit_after_root_entry_us")}} for name, value in figures.items()]
            return {"report": {"results": results}}

        runs = [run(off=10, static=8, competitive=1), run(off=30, static=6, competitive=9),
                run(off=20, static=100, competitive=2)]
        entry = next(item for item in compare.summarise(runs) if item["measure"] == "excess_us.mean")
        self.assertEqual(entry["medians"], {"plain": 20, "static": 8, "competitive": 2})
        self.assertEqual(entry["ratios"], {"competitive/static": 0.25, "competitive/plain": 0.1})
        self.assertEqual(entry["rounds"]["static"], [8, 6, 100])

    def test_ratio_to_nothing_is_left_open(self):
        self.assertEqual(compare.ratios_of({"plain": 0, "competitive": 3}), {"competitive/plain": None})
        self.assertEqual(compare.ratios_of({"plain": 2, "static": 3}), {})

    def test_sizes_are_written_as_upa_writes_them(self):
        self.assertEqual([compare.format_size(size) for size in (8, 1000, 65536, 4 << 20)], ["8", "1000", "64K", "4M"])


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.launcher = self.folder / "launcher"
        self.launcher.write_text(LAUNCHER, encoding="utf-8")
        self.launcher.chmod(0o755)
        self.runtime = self.folder / "runtime"
        self.runtime.write_bytes(b"no switch in here")

    def run_compare(self, *arguments, **settings):
        command = [sys.executable, COMPARE, "--launcher", str(self.launcher), "--upa", str(self.launcher),
                   "--runtime", str(self.runtime), "--json", str(self.folder / "out.json"), *arguments]
        environment = dict(os.environ, STAND_IN_FOLDER=str(self.folder), **settings)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def document(self):
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_runs_alternate_and_every_round_starts_with_another(self):
        done = self.run_compare("--virtual-hosts", "4", "--ppn", "4", "--rounds", "3", "--skew-ms", "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        leaders = [call[call.index("--leader") + 1] for call in calls]
        self.assertEqual(leaders, ["off", "static", "competitive", "static", "competitive", "off",
                                   "competitive", "off", "static"])
        self.assertEqual(calls[0][:10], ["-n", "16", "--leader", "off", "--polite", "auto", "--ppn", "4",
                                         "--virtual-hosts", "4"])
        self.assertEqual(calls[0][10:18], ["--runtime", str(self.runtime), "--", str(self.launcher), "--label", "plain",
                                          "--skew-ms", "20"])
        # plain ran as jobs 1, 6, 8; static as 2, 4, 9; competitive as 3, 5, 7.
        entry = self.document()["summary"][0]
        self.assertEqual(entry["measure"], "excess_us.mean")
        self.assertEqual(entry["bytes"], 8)
        self.assertEqual(entry["rounds"]["plain"], [101, 106, 108])
        self.assertEqual(entry["medians"], {"plain": 106, "static": 54, "competitive": 10})
        self.assertAlmostEqual(entry["ratios"]["competitive/static"], 10 / 54)
        self.assertIn("mean excess of non-root ranks", done.stdout)
        # 1 late entry a size in 2 calls of 16 ranks
        self.assertIn("planned time: plain 3.1 %, static 3.1 %, competitive 3.1 %", done.stdout)
        self.assertRegex(done.stdout, r"64K\s+106\.00\s+54\.00\s+10\.00\s+\|\s+0\.185\s+0\.094")

    def test_one_job_serves_all_where_the_runtime_can_switch(self):
        self.runtime.write_bytes(b"..mpiactor_set_leader..")
        done = self.run_compare("-n", "2", "--bind", "--rounds", "2", "--as-is", "--skew-ms", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual(len(calls), 4)
        self.assertEqual(calls[0][:12], ["-n", "2", "--leader", "competitive", "--polite", "auto", "--runtime",
                                         str(self.runtime), "-bind-to", "core", "--", str(self.launcher)])
        self.assertEqual(calls[0][12:14], ["--contenders", "off,static,competitive"])
        self.assertEqual(calls[1][2:6], ["--leader", "off", "--polite", "off"])
        document = self.document()
        self.assertTrue(document["within_run"])
        entry = next(item for item in document["summary"] if item["measure"] == "last_exit_after_root_entry_us.p50")
        self.assertEqual(list(entry["medians"]), ["as-is", "plain", "static", "competitive"])
        self.assertIn("median last exit after the root's entry", done.stdout)

    def test_pretended_nodes_reach_launcher_and_upa(self):
        done = self.run_compare("-n", "4", "--nodes", "ppn:2", "--rounds", "1", "--skew-ms", "1", "--contenders",
                                "plain,competitive")
        self.assertEqual(done.returncode, 0, done.stderr)
        call = self.calls()[0]
        self.assertEqual([index for index, word in enumerate(call) if word == "ppn:2"],
                         [call.index("--runtime") - 1, call.index("--skew-ms") - 1])

    def test_a_failing_run_is_named(self):
        done = self.run_compare("-n", "2", "--rounds", "1", "--skew-ms", "1", STAND_IN_FAIL="static")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run 'static' failed: ended with code 7", done.stderr)
        self.assertIn("something broke", done.stderr)
        self.assertFalse((self.folder / "out.json").exists())

    def test_a_hanging_run_is_ended_and_named(self):
        done = self.run_compare("-n", "2", "--rounds", "1", "--skew-ms", "1", "--timeout", "1",
                                STAND_IN_HANG="competitive")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run 'competitive' failed: not done after 1 s", done.stderr)

    def test_bad_arguments_are_named(self):
        for arguments, message in (
            ([], "give -n RANKS, or --virtual-hosts H and --ppn K"),
            (["-n", "0"], "--ranks: 0 is less than 1"),
            (["-n", "2", "--contenders", "plain,fast"], "--contenders: 'fast' is none of as-is, openmpi, plain"),
            (["-n", "2", "--nodes", "2", "--virtual-hosts", "2"], "not allowed with argument"),
            (["-n", "2", "--launcher", "/nonexistent"], "--launcher: /nonexistent does not exist"),
            (["-n", "2", "--json", "/nonexistent/x"], "--json: cannot write /nonexistent/x"),
            (["-n", "2", "--json", str(self.folder)], f"--json: cannot write {self.folder}"),
        ):
            done = self.run_compare(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
