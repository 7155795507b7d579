#!/usr/bin/env python3
"""Tests bench/collectives with a stand-in for the launcher: COLLECTIVES."""

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

COLLECTIVES = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("collectives", COLLECTIVES)
collectives = importlib.util.module_from_spec(importlib.util.spec_from_loader("collectives", _loader))
sys.modules["collectives"] = collectives
_loader.exec_module(collectives)
second = collectives.second_measurement

# Notes its arguments and writes what the program would have: figures by contender and round.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys
folder = pathlib.Path(os.environ["STAND_IN_FOLDER"])
arguments = sys.argv[1:]
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
value = lambda option: arguments[arguments.index(option) + 1]
print("what the program says")
print("mpiactor-run: no virtual hosts (why); 2 pretended nodes instead, MPIACTOR_NODES=2", file=sys.stderr)
if os.environ.get("STAND_IN_FAIL") == value("--leader"):
    print("something broke", file=sys.stderr)
    sys.exit(7)
base = {"off": 100.0, "plain": 100.0, "static": 50.0, "competitive": 20.0, "raw": 200.0, "as-is": 1000.0}
alone = value("--collectives") != "all"
if alone and os.environ.get("STAND_IN_ALONE"):
    base["competitive"] = float(os.environ["STAND_IN_ALONE"])
if os.environ.get("STAND_IN_SLOW"):
    base["slow"] = float(os.environ["STAND_IN_SLOW"])
    if alone:
        base["slow"] = base["competitive"]
names = value("--contenders").split(",") if "--contenders" in arguments else [value("--label")]
kinds = ("last_exit_after_start_us", "last_exit_after_last_arrival_us", "excess_us", "root_excess_us",
         "others_excess_us", "in_call_us", "arrival_spread_us")
def result(name, collective, rooted, size):
    figures = dict.fromkeys(("mean", "p50", "p95", "max"), base.get(name, 10.0))
    roots = os.environ.get("STAND_IN_ROOTS", "fixed") if rooted else ""
    return {"collective": collective, "rooted": rooted, "roots": roots, "bytes": size, "contender": name, "calls": 2,
            "late_entries": 1, **{kind: figures for kind in kinds}}
cells = [("barrier", False, 0), ("allreduce", False, 8), ("gather", True, 65536)]
if alone:
    cells = [cell for cell in cells if cell[0] == value("--collectives")] or cells
report = {"settings": {"pattern": "random", "skew_ms": float(value("--skew-ms")), "type": "int"},
          "job": {"ranks": 4, "nodes": 2, "cores": 2},
          "results": [result(name, *cell) for cell in cells for name in names],
          "skipped": [{"collective": "gather", "bytes": size, "needed_bytes": 5 * size, "limit_bytes": 1 << 28}
                      for size in (1 << 26, 1 << 27)]}
pathlib.Path(value("--json")).write_text(json.dumps(report))
'''


def run_of(job, round_number, **figures):
    """A run with one balanced cell; `figures` are contenders and their microseconds."""
    results = [{"collective": "bcast", "rooted": True, "roots": "fixed", "bytes": 8, "contender": name,
                "last_exit_after_start_us": {"p50": value}} for name, value in figures.items()]
    return {"job": job, "round": round_number, "report": {"results": results}}


class FiguresTest(unittest.TestCase):
    def test_speedups_are_ratios_of_medians(self):
        runs = [run_of("plain", 1, plain=10), run_of("competitive", 1, competitive=5),
                run_of("plain", 2, plain=30), run_of("competitive", 2, competitive=6),
                run_of("plain", 3, plain=20), run_of("competitive", 3, competitive=100)]
        [entry] = collectives.summarise(runs, skewed=False)
        self.assertEqual((entry["row"], entry["bytes"]), ("bcast", 8))
        self.assertEqual(entry["medians_us"], {"plain": 20, "competitive": 6})
        self.assertAlmostEqual(entry["speedups"]["competitive"], 20 / 6)
        self.assertEqual(entry["rounds_us"], {"plain": [10, 30, 20], "competitive": [5, 6, 100]})

    def test_within_a_run_each_contender_is_compared_with_its_own_plain(self):
        runs = [run_of("competitive", 1, off=10, competitive=5), run_of("raw", 1, off=30, competitive=10)]
        [entry] = collectives.summarise(runs, skewed=False)
        self.assertEqual(entry["speedups"], {"competitive": 2.0, "raw": 3.0})
        self.assertEqual(entry["medians_us"], {"plain": 20, "competitive": 5, "raw": 10})

    def test_geometric_means_are_of_ratios(self):
        summary = [{"row": "bcast", "speedups": {"competitive": 4.0, "raw": None}},
                   {"row": "bcast", "speedups": {"competitive": 1.0, "raw": None}},
                   {"row": "reduce", "speedups": {"competitive": 0.25, "raw": 2.0}}]
        means = collectives.geometric_means(summary)
        self.assertAlmostEqual(means["competitive"]["all"], 1.0)
        self.assertAlmostEqual(means["competitive"]["bcast"], 2.0)
        self.assertEqual(list(means["raw"]), ["all", "reduce"])

    def test_worst_rows_come_first(self):
        summary = [{"row": name, "bytes": 8, "speedups": {"competitive": ratio}}
                   for name, ratio in (("bcast", 1.5), ("reduce", 0.5), ("gather", 0.9))]
        self.assertEqual(collectives.format_worst(summary),
                         "competitive: 2 of 3 rows below 0.95 of plain; lowest: reduce 8 0.50, gather 8 0.90, "
                         "bcast 8 1.50\n")


def row_of(name, size, speedups, rounds=None):
    return {"row": name, "bytes": size, "speedups": speedups, "medians_us": {}, "rounds_us": rounds or {}}


class SecondMeasurementTest(unittest.TestCase):
    def test_low_rows_are_those_where_any_contender_is_below(self):
        summary = [row_of("bcast", 8, {"static": 1.2, "raw": 0.94}), row_of("bcast", 64, {"static": 0.95, "raw": None}),
                   row_of("gather@rotate/root", 64, {"raw": 0.5}), row_of("gather@rotate/others", 64, {"raw": 0.5}),
                   row_of("barrier", 0, {"raw": 0.1}), row_of("reduce", 8, {"raw": 1.0, "same": 0.5})]
        self.assertEqual(second.low_rows(summary, 0.95),
                         [("bcast", "fixed", 8), ("gather", "rotate", 64), ("barrier", "fixed", 0)])

    def test_the_second_measurement_counts_for_low_rows_alone(self):
        first = [row_of("gather/root", 8, {"raw": 0.5}), row_of("gather/others", 8, {"raw": 1.5}),
                 row_of("bcast", 8, {"raw": 0.5})]
        again = [row_of("gather/root", 8, {"raw": 0.8}), row_of("gather/others", 8, {"raw": 0.7})]
        root, others, bcast = second.replace_low(first, again, 0.95)
        self.assertEqual(root["speedups"], {"raw": 0.8})
        self.assertEqual(root["first"]["speedups"], {"raw": 0.5})
        # It was not low, though it was measured again with the root's row.
        self.assertEqual(others, first[1])
        self.assertEqual(bcast, first[2])

    def test_spread_is_of_the_ratios_of_rounds(self):
        entry = row_of("bcast", 8, {}, {"plain": [10, 30], "raw": [20, 10], "static": [5], "own.plain": [8, 8],
                                        "own": [4, 16]})
        self.assertEqual(second.round_ratios(entry, "raw"), [0.5, 3.0])
        self.assertEqual(second.format_spread(entry, "raw"), "0.50-3.00")
        self.assertEqual(second.format_spread(entry, "own"), "0.50-2.00")  # plain of its own job
        self.assertEqual(second.format_spread(entry, "static"), "-")


class OpenMpiTest(unittest.TestCase):
    def jobs(self, *arguments, missing=""):
        options, passed_on = collectives.parse_arguments(["-n", "4", *arguments])
        with unittest.mock.patch.object(collectives.job_runner, "missing_openmpi", return_value=missing), \
                unittest.mock.patch.object(collectives.job_runner, "build_for_openmpi", return_value="/program"):
            jobs, skipped = collectives.plan_jobs(options, passed_on)
        return {job.name: job.command for job in jobs}, skipped

    def test_han_comes_first_in_its_own_contender_alone(self):
        commands, skipped = self.jobs("--contenders", "plain,openmpi,openmpi-han")
        self.assertEqual((sorted(commands), skipped), (["openmpi", "openmpi-han", "plain"], []))
        han = commands["openmpi-han"]
        at = han.index("coll_han_priority")
        self.assertEqual(han[at - 1 : at + 2], ["--mca", "coll_han_priority", "100"])
        self.assertLess(at, han.index("/program"))
        self.assertEqual(han[han.index("--label") + 1], "openmpi-han")
        self.assertNotIn("coll_han_priority", commands["openmpi"])

    def test_the_runtime_for_open_mpi_is_preloaded_in_its_own_contender_alone(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "libmpiactor_ompi.so").touch()
        commands, skipped = self.jobs("--contenders", "plain,openmpi,openmpi-competitive",
                                      "--runtime", f"{folder.name}/libmpiactor.so")
        self.assertEqual((sorted(commands), skipped), (["openmpi", "openmpi-competitive", "plain"], []))
        own = commands["openmpi-competitive"]
        at = own.index(f"LD_PRELOAD={folder.name}/libmpiactor_ompi.so")
        self.assertEqual(own[at - 1], "-x")
        self.assertLess(at, own.index("/program"))
        self.assertNotIn("LD_PRELOAD", " ".join(commands["openmpi"]))

    def test_without_open_mpi_its_contenders_are_left_out_with_one_reason(self):
        commands, skipped = self.jobs("--contenders", "plain,openmpi,openmpi-han", missing="openmpi: not found")
        self.assertEqual((list(commands), skipped), (["plain"], ["openmpi: not found"]))
        self.assertEqual(self.jobs("--contenders", "plain", missing="openmpi: not found")[1], [])


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.launcher = self.folder / "launcher"
        self.launcher.write_text(LAUNCHER, encoding="utf-8")
        self.launcher.chmod(0o755)

    def run_script(self, *arguments, **settings):
        command = [sys.executable, COLLECTIVES, "--launcher", str(self.launcher), "--program", str(self.launcher),
                   "--runtime", "/runtime.so", "--json", str(self.folder / "out.json"), *arguments]
        environment = dict(os.environ, STAND_IN_FOLDER=str(self.folder), **settings)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text(encoding="utf-8").splitlines()]

    def document(self):
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_runs_alternate_and_every_round_starts_with_another(self):
        done = self.run_script("--virtual-hosts", "2", "--ppn", "2", "--rounds", "2",
                               "--contenders", "competitive,plain,raw", "--seed", "7")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        labels = [call[call.index("--label") + 1] for call in calls]
        self.assertEqual(labels, ["plain", "competitive", "raw", "competitive", "raw", "plain"])
        self.assertEqual(calls[0][:12], ["-n", "4", "--leader", "off", "--polite", "on", "--ppn", "2",
                                         "--virtual-hosts", "2", "--runtime", "/runtime.so"])
        self.assertNotIn("-genv", calls[1])
        self.assertEqual(calls[2][calls[2].index("-genv") + 1:][:2], ["MPIACTOR_NEVER_WORSE", "0"])
        self.assertEqual(calls[2][3], "competitive")
        for call in calls:
            self.assertEqual(call[call.index("--seed") + 1], "7")
        # Data are checked in the first round alone.
        self.assertEqual([call[call.index("--verify") + 1] for call in calls], ["on"] * 3 + ["off"] * 3)

    def test_what_the_launcher_says_is_passed_on_once(self):
        done = self.run_script("--virtual-hosts", "2", "--ppn", "2", "--rounds", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("mpiactor-run: no virtual hosts (why); 2 pretended nodes instead"), 1)
        self.assertNotIn("what the program says", done.stderr)

    def test_table_and_json_show_every_cell(self):
        done = self.run_script("-n", "4", "--nodes", "2", "--rounds", "1", "--contenders", "plain,competitive,raw")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertIn(["collective", "size", "plain", "competitive", "raw", "|", "competitive", "raw", "|", "of",
                       "single", "rounds"], rows)
        for name, size in (("barrier", "-"), ("allreduce", "8"), ("gather", "64K")):
            self.assertIn([name, size, "100.00", "20.00", "200.00", "|", "5.000", "0.500", "|", "5.00-5.00",
                           "0.50-0.50"], rows)
        self.assertIn("skipped gather 64M, 128M: buffers of more than 256 MiB a rank", done.stdout)
        self.assertIn("competitive: 5.000  (barrier 5.00, allreduce 5.00, gather 5.00)", done.stdout)
        self.assertIn("raw: 3 of 3 rows below 0.95 of plain", done.stdout)
        self.assertIn("longest call: plain 0.1 ms (barrier, 6 calls), competitive 0.0 ms (barrier, 6 calls), "
                      "raw 0.2 ms (barrier, 6 calls)\n", done.stdout)
        document = self.document()
        self.assertEqual(document["benchmark"], "collectives")
        self.assertEqual(len(document["runs"]), 3)
        self.assertEqual([(entry["row"], entry["bytes"]) for entry in document["summary"]],
                         [("barrier", 0), ("allreduce", 8), ("gather", 65536)])
        self.assertAlmostEqual(document["geometric_means"]["raw"]["all"], 0.5)

    def test_low_rows_are_measured_again_by_themselves(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--contenders", "plain,competitive", "--variant",
                               "slow:A=1", "--again", "0.95", "--cell-ms", "7", STAND_IN_ALONE="400",
                               STAND_IN_SLOW="150")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = self.document()
        self.assertEqual(len(document["runs"]), 3)
        self.assertEqual(len(document["runs_again"]), 3 * 3 * 4)
        for entry in document["summary"]:
            self.assertEqual(entry["speedups"], {"competitive": 0.25, "slow": 0.25})
            self.assertEqual(entry["first"]["speedups"], {"competitive": 5.0, "slow": 100 / 150})
            self.assertEqual(len(entry["rounds_us"]["plain"]), 4)
        # Means are of the first measurement, in which no row is chosen for being low.
        self.assertAlmostEqual(document["geometric_means"]["competitive"]["all"], 5.0)
        self.assertIn("  gather 64K: competitive 5.00, 0.25; slow 0.67, 0.25\n", done.stdout)
        self.assertEqual(sum(line.endswith("*") for line in done.stdout.splitlines()), 3)
        call = self.calls()[-1]
        for option, value in (("--collectives", "gather"), ("--sizes", "65536"), ("--roots", "fixed"),
                              ("--cell-ms", "7")):
            self.assertEqual(call[call.index(option) + 1], value)

    def test_nothing_is_measured_again_where_no_row_is_low(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--again", "0.95")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls()), 2)
        self.assertNotIn("measured again", done.stdout)
        self.assertNotIn("first", self.document()["summary"][0])

    def test_with_skew_rooted_rows_tell_the_root_from_the_others(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--skew-ms", "20", STAND_IN_ROOTS="rotate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([entry["row"] for entry in self.document()["summary"]],
                         ["barrier", "allreduce", "gather@rotate/root", "gather@rotate/others"])
        self.assertIn("mean excess after the last needed arrival", done.stdout)

    def test_within_a_run_plain_needs_no_job_of_its_own(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--within-run", "on", "--contenders", "plain,static,raw")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual([call[call.index("--contenders") + 1] for call in calls], ["off,static", "off,competitive"])
        # Raw is competitive (20) in a job with other settings.
        [entry] = [entry for entry in self.document()["summary"] if entry["row"] == "allreduce"]
        self.assertEqual(entry["medians_us"], {"plain": 100.0, "static": 50.0, "raw": 20.0})

    def test_variants_are_competitive_with_settings(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--contenders", "plain", "--as-is",
                               "--variant", "small:MPIACTOR_SEGMENT=4K;MPIACTOR_WINDOW=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        plain, small, as_is = self.calls()
        self.assertEqual(small[small.index("-genv"):][:6],
                         ["-genv", "MPIACTOR_SEGMENT", "4K", "-genv", "MPIACTOR_WINDOW", "2"])
        self.assertEqual(plain[plain.index("--polite") + 1], "on")
        self.assertEqual(as_is[as_is.index("--polite") + 1], "off")
        self.assertEqual(self.document()["summary"][0]["speedups"], {"as-is": 0.1, "small": 10.0})

    def test_same_is_plain_once_more(self):
        done = self.run_script("-n", "4", "--rounds", "1", "--contenders", "same,plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        plain, same = self.calls()
        self.assertEqual([call[call.index("--label") + 1] for call in (plain, same)], ["plain", "same"])
        # All else is alike but the file for the figures.
        for call in (plain, same):
            for option in ("--label", "--json"):
                call[call.index(option) + 1] = ""
        self.assertEqual(plain, same)
        self.assertEqual(self.document()["summary"][0]["speedups"], {"same": 10.0})  # the stand-in's figures

    def test_pretended_nodes_and_sizes_reach_launcher_and_program(self):
        done = self.run_script("-n", "4", "--nodes", "ppn:2", "--rounds", "1", "--contenders", "plain",
                               "--sizes", "8,1K", "--collectives", "bcast", "--reps", "9", "--bind", "--roots", "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        [call] = self.calls()
        self.assertEqual(call.count("ppn:2"), 2)
        program = call[call.index("--") + 2:]
        for option, value in (("--sizes", "8,1K"), ("--collectives", "bcast"), ("--reps", "9"), ("--nodes", "ppn:2"),
                              ("--roots", "both")):
            self.assertEqual(program[program.index(option) + 1], value)
        self.assertEqual(call[call.index("-bind-to") + 1], "core")

    def test_a_failing_run_is_named(self):
        done = self.run_script("-n", "2", "--rounds", "1", STAND_IN_FAIL="competitive")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run 'competitive' failed: ended with code 7", done.stderr)
        self.assertIn("something broke", done.stderr)
        self.assertFalse((self.folder / "out.json").exists())

    def test_bad_arguments_are_named(self):
        for arguments, message in (
            ([], "give -n RANKS, or --virtual-hosts H and --ppn K"),
            (["-n", "0"], "--ranks: 0 is less than 1"),
            (["-n", "2", "--reps", "0"], "--reps: 0 is less than 1"),
            (["-n", "2", "--skew-ms", "some"], "--skew-ms: 'some' is not a number of milliseconds"),
            (["-n", "2", "--again", "0"], "--again: 0 is not above 0 and at most 1"),
            (["-n", "2", "--again", "nan"], "--again: nan is not above 0 and at most 1"),
            (["-n", "2", "--again", "0.9", "--contenders", "raw"], "--again: nothing to compare with; add plain"),
            (["-n", "2", "--contenders", "plain,fast"], "--contenders: 'fast' is none of plain, same, as-is, openmpi, openmpi-han"),
            (["-n", "2", "--variant", "raw:A=1"], "--variant: 'raw:A=1' is not NAME:VAR=VALUE"),
            (["-n", "2", "--variant", "x:A"], "--variant: 'x:A' is not NAME:VAR=VALUE"),
            (["-n", "2", "--nodes", "2", "--virtual-hosts", "2"], "not allowed with argument"),
            (["-n", "2", "--program", "/nonexistent"], "--program: /nonexistent does not exist"),
            (["-n", "2", "--json", "/nonexistent/x"], "--json: cannot write /nonexistent/x"),
            (["-n", "2", "--json", str(self.folder)], f"--json: cannot write {self.folder}"),
        ):
            done = self.run_script(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "calls").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
