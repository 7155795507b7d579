#!/usr/bin/env python3
"""What mpiactor-tune measures and writes, with a benchmark that knows its times: TUNE"""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

TUNE = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1]

INFO = """#!/usr/bin/env python3
import json
print(json.dumps({"rules": {"bcast": ["library", "staging", "auto", "linear", "ring"],
                            "allreduce": ["library", "staging", "direct", "shares", "auto", "ring"]}}))
"""
# Writes the times that the test has put down: {collective: {bytes: {way: us}}}.
RUN = """#!/usr/bin/env python3
import json, os, pathlib, subprocess, sys
here = pathlib.Path(__file__).parent
print("mpiactor-run: no virtual hosts (why); 4 pretended nodes instead, MPIACTOR_NODES=4", file=sys.stderr)
if (here / "sleeps").exists():
    sleeping = subprocess.Popen(["sleep", "60"])
    (here / "sleeps").write_text(f"{os.getpid()} {sleeping.pid} ")
    sleeping.wait()
arguments = sys.argv[sys.argv.index("--") + 1:]
option = lambda name: arguments[arguments.index(name) + 1]
table = json.loads(pathlib.Path(os.environ["MPIACTOR_TUNING"]).read_text())
known = json.loads((here / "times.json").read_text())
results = []
for collective in option("--collectives").split(","):
    rules = table.get({"barrier": "allreduce"}.get(collective, collective), [{"algorithm": "built-in"}])
    way = rules[0]["algorithm"] + rules[0].get("segment", "")
    with open(here / "asked", "a") as file:
        print(collective, way, file=file)
    for size, times in known["times"][collective].items():
        results.append({"collective": collective, "bytes": int(size),
                        "last_exit_after_start_us": {"p50": times.get(way, 99)}})
pathlib.Path(option("--json")).write_text(json.dumps({"job": known["job"], "results": results}))
"""


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class TuneTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        shutil.copy(TUNE, self.folder / "mpiactor-tune")
        for name, text in {"mpiactor-info": INFO, "mpiactor-run": RUN, "collectives_run": ""}.items():
            path = self.folder / name
            path.write_text(text)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def tune(self, times, *arguments, nodes=4, ranks=7, node_of_rank=None, status=0, stdout=subprocess.PIPE):
        """What the table says, and what was printed."""
        blocks = [rank * nodes // ranks for rank in range(ranks)]
        (self.folder / "times.json").write_text(
            json.dumps({"job": {"nodes": nodes, "ranks": ranks, "node_of_rank": node_of_rank or blocks},
                        "times": times}))
        output = self.folder / "table.json"
        done = subprocess.run([self.folder / "mpiactor-tune", "-o", output, "--rounds", "2", *arguments],
                              stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr)
        text = output.read_text() if output.is_file() else ""
        return (json.loads(text) if text else None), (done.stdout or "") + done.stderr

    def asked(self):
        return (self.folder / "asked").read_text().splitlines()

    def test_rules_where_another_way_is_quicker(self):
        table, _ = self.tune({"bcast": {8: {"built-in": 10, "ring": 9.6, "library": 20},
                                        800: {"built-in": 10, "ring": 9, "library": 8},
                                        80000: {"built-in": 10, "ring": 5, "library": 8}}},
                             "--collectives", "bcast")
        place = {"nodes": 4, "ranks": 2}
        self.assertEqual(table["format"], "mpiactor-tuning-1")
        self.assertEqual(table["bcast"], [{**place, "algorithm": "library", "over": 80, "up_to": 8000},
                                          {**place, "algorithm": "ring", "over": 8000}])

    def test_neighbours_of_one_way_are_one_rule(self):
        table, _ = self.tune({"bcast": {8: {"built-in": 10, "ring": 5}, 800: {"built-in": 10, "ring": 5},
                                        80000: {"built-in": 10, "linear": 5}}}, "--collectives", "bcast")
        self.assertEqual([(rule["algorithm"], rule.get("over"), rule.get("up_to")) for rule in table["bcast"]],
                         [("ring", None, 8000), ("linear", 8000, None)])

    def test_a_barrier_is_an_allreduce_of_one_byte(self):
        table, _ = self.tune({"barrier": {0: {"built-in": 10, "library": 5}},
                              "allreduce": {8: {"built-in": 10, "shares": 5}}}, "--collectives", "barrier,allreduce")
        self.assertEqual([(rule["algorithm"], rule.get("over"), rule.get("up_to")) for rule in table["allreduce"]],
                         [("library", None, 1), ("shares", 1, None)])

    def test_the_ways_that_nodes_can_go(self):
        times = {"bcast": {8: {}}}
        self.tune(times, "--collectives", "bcast", "--segments", "auto,4K")
        self.assertEqual(self.asked(), 2 * ["bcast built-in", "bcast library", "bcast linear", "bcast linear4K",
                                            "bcast ring", "bcast ring4K"])
        (self.folder / "asked").unlink()
        self.tune(times, "--collectives", "bcast", nodes=1, ranks=2)
        self.assertEqual(self.asked(), 2 * ["bcast built-in", "bcast library", "bcast staging"])
        (self.folder / "asked").unlink()
        self.tune(times, "--collectives", "bcast", "--algorithms", "ring")
        self.assertEqual(self.asked(), 2 * ["bcast built-in", "bcast ring"])

    def test_ranks_are_those_of_the_largest_node(self):
        times = {"bcast": {8: {"built-in": 10, "ring": 5}}}
        for node_of_rank, largest in (([0, 1, 1, 1], 3), ([0, 0, 1, 1], 2), ([0, 1, 0, 0, 0], 4)):
            table, _ = self.tune(times, "--collectives", "bcast", nodes=2, ranks=len(node_of_rank),
                                 node_of_rank=node_of_rank)
            self.assertEqual(table["bcast"], [{"nodes": 2, "ranks": largest, "algorithm": "ring"}])

    def test_settings_that_go_before_rules_are_refused(self):
        for name, value in (("MPIACTOR_BCAST", "ring"), ("MPIACTOR_SEGMENT", "4K"), ("MPIACTOR_NEVER_WORSE", "0")):
            with unittest.mock.patch.dict(os.environ, {name: value}):
                _, said = self.tune({"bcast": {8: {}}}, "--collectives", "bcast", status=1)
            self.assertIn(f"{name}={value} is set, which goes before the rules", said)
        with unittest.mock.patch.dict(os.environ, {"MPIACTOR_BCAST": "auto", "MPIACTOR_NEVER_WORSE": "1"}):
            self.tune({"bcast": {8: {}}}, "--collectives", "bcast")

    def test_without_leaders_there_is_nothing_to_measure(self):
        for options in (("--leader", "off"), ("--leader=off",), ("-genv", "MPIACTOR_LEADER", "off")):
            _, said = self.tune({"bcast": {8: {}}}, "--collectives", "bcast", "--", *options, status=1)
            self.assertIn("off leaves all calls to the MPI library; allowed: competitive, static", said)
        self.assertFalse((self.folder / "asked").exists())

    def test_what_the_launcher_says_is_passed_on_once(self):
        _, said = self.tune({"bcast": {8: {}}}, "--collectives", "bcast")
        self.assertEqual(said.count("mpiactor-run: no virtual hosts (why)"), 1)

    def test_an_end_by_a_signal_leaves_no_job_and_no_table(self):
        for number, status, said in ((signal.SIGTERM, 143, ""), (signal.SIGINT, 130, "mpiactor-tune: interrupted\n")):
            sleeps = self.folder / "sleeps"
            sleeps.write_text("")
            tune = subprocess.Popen([self.folder / "mpiactor-tune", "-o", self.folder / "table.json"],
                                    stderr=subprocess.PIPE, text=True)
            while not sleeps.read_text().endswith(" "):
                self.assertIsNone(tune.poll())
                time.sleep(0.05)
            tune.send_signal(number)
            errors = tune.communicate(timeout=60)[1]
            self.assertEqual((tune.returncode, errors), (status, said))
            self.assertFalse((self.folder / "table.json").exists())
            # They are gone soon.
            running = sleeps.read_text().split()
            end = time.monotonic() + 10
            while running and time.monotonic() < end:
                time.sleep(0.05)
                running = [pid for pid in running if is_running(pid)]
            self.assertEqual(running, [])

    def test_static_leaders_go_no_way_that_needs_competition(self):
        for leader in (("--leader", "static"), ("--leader=static",)):
            self.tune({"allreduce": {8: {}}}, "--collectives", "allreduce", "--", *leader)
            self.assertEqual(self.asked(), 2 * ["allreduce built-in", "allreduce library", "allreduce ring"])
            (self.folder / "asked").unlink()

    def test_wrong_options_are_named(self):
        for option, value, said in (("--program", "/no/program", "--program /no/program: no such file"),
                                    ("--rounds", "0", "--rounds 0: at least 1")):
            self.assertIn(said, self.tune({"bcast": {8: {}}}, option, value, status=1)[1])

    def test_an_output_that_cannot_be_written_is_found_before_the_measurement(self):
        for path in ("/no/folder/x.json", str(self.folder)):
            _, said = self.tune({"bcast": {8: {}}}, "--collectives", "bcast", "-o", path, status=1)
            self.assertIn(f"cannot write --output '{path}'", said)
        self.assertFalse((self.folder / "asked").exists())

    def test_a_failed_measurement_leaves_the_table_as_it_was(self):
        self.tune({}, "--collectives", "bcast", status=1)
        self.assertFalse((self.folder / "table.json").exists())
        (self.folder / "table.json").write_text('{"old": 1}')
        table, _ = self.tune({}, "--collectives", "bcast", status=1)
        self.assertEqual(table, {"old": 1})
        table, _ = self.tune({"bcast": {8: {"built-in": 10, "ring": 5}}}, "--collectives", "bcast")
        self.assertEqual(table["bcast"][0]["algorithm"], "ring")

    def test_the_table_outlives_what_it_is_told_to_print_to(self):
        with open("/dev/full", "w") as full:
            table, said = self.tune({"bcast": {8: {"built-in": 10, "ring": 5}}}, "--collectives", "bcast", status=1,
                                    stdout=full)
        self.assertEqual(table["bcast"][0]["algorithm"], "ring")
        self.assertIn("cannot print: No space left on device", said)
        self.assertNotIn("Traceback", said)

    def test_mistakes(self):
        _, said = self.tune({}, "--collectives", "scan", status=1)
        self.assertIn("'scan' is unknown; allowed: all, barrier, bcast, allreduce", said)
        (self.folder / "mpiactor-info").write_text("#!/bin/sh\necho no; exit 3\n")
        self.assertIn("mpiactor-info --json lists no rules (exit status 3)", self.tune({}, status=1)[1])
        (self.folder / "mpiactor-info").chmod(0)
        self.assertIn(f"cannot start {self.folder}/mpiactor-info: Permission denied", self.tune({}, status=1)[1])

    def test_an_unknown_way_is_named(self):
        _, said = self.tune({}, "--algorithms", "fast", status=1)
        self.assertIn("'fast' is unknown; allowed: all, auto, direct", said)


if __name__ == "__main__":
    unittest.main()
