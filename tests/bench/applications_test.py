#!/usr/bin/env python3
"""Tests bench/applications with a stand-in for the launcher: APPLICATIONS MADE_TRACES."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

APPLICATIONS, MADE_TRACES = (os.path.abspath(path) for path in sys.argv[1:3])

# Times by leader, later rounds being slower; notes who ran. Traced runs, which are slower still, write a trace of two
# ranks: a broadcast before the barrier, that does not count, and two behind it.
LAUNCHER = '''#!/usr/bin/env python3
import json, os, pathlib, sys
arguments = sys.argv[1:]
value = lambda option: arguments[arguments.index(option) + 1]
log = pathlib.Path(os.environ["STAND_IN_LOG"])
traced = "MPIACTOR_TRACE" in os.environ
with open(str(log) + ".computing", "a") as out:
    out.write(value("--computing") + (value("--slower") if "--slower" in arguments else "")
              + (" " + json.load(open(value("--costs")))["measured_by"] if "--costs" in arguments else "") + "\\n")
with open(str(log) + ".noise", "a") as out:
    out.write(" ".join(option + " " + value(option) for option in ("--noise", "--noise-us") if option in arguments)
              + (" costs" if "--costs" in arguments else "") + "\\n")
if "--random" in arguments:
    with open(str(log) + ".random", "a") as out:
        out.write(pathlib.Path(arguments[arguments.index("--") + 1]).name + " " + value("--random") + "\\n")
with open(log, "a") as out:
    out.write(value("--leader") + " " + value("--ppn") + (" traced" if traced else "") + "\\n")
if os.environ.get("STAND_IN_FAIL") == value("--leader"):
    print("something broke", file=sys.stderr)
    sys.exit(7)
base = {"off": 4.0, "static": 2.0, "competitive": 1.0}[value("--leader")]
late = sum(line.split()[0] == value("--leader") and "traced" not in line for line in open(log)) > 1
if traced:
    base *= 1000
    sys.path.insert(0, os.path.dirname(os.environ["STAND_IN_TRACES"]))
    import made_traces as made
    e = {"off": 400, "static": 200, "competitive": 100}[value("--leader")] * (10 if late else 1)
    calls = [("MPI_Bcast", [(0, 50000), (0, 50000)]), ("MPI_Barrier", [(50001, 50002), (50001, 50002)]),
             ("MPI_Bcast", [(60000, 60010), (60007, 60007 + e)]),   # rank 1 comes 7 us after the root
             ("MPI_Bcast", [(70500, 70510), (70000, 70500 + 2 * e)])]  # the root comes 500 us after rank 1
    if not os.environ.get("STAND_IN_NO_TRACE"):
        made.write(*os.path.split(os.environ["MPIACTOR_TRACE"]), *[made.section(rank, 2, [
            made.record(*times[rank], operation=name, root=0 if name == "MPI_Bcast" else -1, rank=rank, sequence=number)
            for number, (name, times) in enumerate(calls)]) for rank in (0, 1)])
report = {"broadcast_s": base * (10 if late else 1), "total_s": base + 1, "compute_s": 0.5,
          "arrival_spread_mean_us": 300, "other": 1,
          "measured_by": value("--leader") + value("--ppn"),
          "asleep": {"seed": 1, "samples_ns": [], "floor_broadcast_s": 0.5} if value("--computing") == "asleep" else None}
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
            env={**os.environ, "STAND_IN_LOG": str(self.folder / "log"), "STAND_IN_TRACES": MADE_TRACES, **environment})

    def test_ratios_are_of_medians_and_contenders_take_turns(self):
        result = self.run_it("--applications", "vcc", "--ppn", "2", "--rounds", "3", "--json",
                             str(self.folder / "out.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = (self.folder / "log").read_text().splitlines()
        order = [line.split()[0] for line in lines[::2]]
        self.assertEqual(order, ["off", "static", "competitive", "static", "competitive", "off",
                                 "competitive", "off", "static"])
        self.assertEqual(lines[1::2], [line + " traced" for line in lines[::2]])
        row, = json.loads((self.folder / "out.json").read_text())["summary"]
        self.assertEqual(row["plain"]["broadcast_s"], 40)  # median of 4, 40, 40
        self.assertEqual(row["competitive"]["broadcast_s"], 10)
        ratios = row["competitive_to_plain"]
        self.assertEqual((ratios["broadcast_s"], ratios["total_s"]), (0.25, 0.4))
        self.assertEqual(row["competitive_to_static"]["broadcast_s"], 0.5)
        self.assertIn("competitive/plain: broadcast 0.25, total 0.40, excess 0.25", result.stdout)

    def test_excess_and_arrivals_are_those_of_traces(self):
        result = self.run_it("--applications", "asp", "--ppn", "2", "--rounds", "3", "--json",
                             str(self.folder / "out.json"), "--svg", str(self.folder / "out.svg"))
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads((self.folder / "out.json").read_text())
        row, = document["summary"]
        # Rank 1: 1000 and 2000 us (the median of rounds: ten times 100); the root's two calls take 10 us each.
        self.assertEqual(row["competitive"]["excess_mean_us"], 1500)
        self.assertAlmostEqual(row["competitive"]["excess_s"], (3000 + 20) / 2 / 1e6)
        shares = dict(zip(document["arrival_edges_us"], row["plain"]["arrival_shares"]))
        self.assertEqual({edge: share for edge, share in shares.items() if share}, {0: 0.5, 5: 0.25, 500: 0.25})
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertIn(["plain", "75.0%", "0.0%", "25.0%", "0.0%", "0.0%", "0.0%"], rows)
        texts = [element.text for element in xml.etree.ElementTree.parse(self.folder / "out.svg").iter()]
        for text in ("Arrivals in asp, 4 x 2 ranks", "Excess", "Time in broadcasts"):
            self.assertIn(text, texts)

    def test_a_run_that_leaves_no_trace_is_named(self):
        result = self.run_it("--rounds", "1", STAND_IN_NO_TRACE="1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("asp, 2 ranks a host, plain: the traced run left no trace", result.stderr)

    def test_every_application_and_layout_has_its_row(self):
        result = self.run_it("--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        for title in ("asp, 4 hosts x 2 ranks", "asp, 4 hosts x 4 ranks", "vcc, 4 hosts x 2 ranks"):
            self.assertIn(title, result.stdout)

    def test_computing_is_passed_on_and_recorded(self):
        for arguments, computing, printed in (
                ([], "real", "real"), (["--computing", "asleep"], "asleep", "asleep"),
                (["--computing", "asleep", "--slower", "8"], "asleep", "asleep, 8 times slower")):
            passed_on = self.folder / "log.computing"
            passed_on.unlink(missing_ok=True)
            result = self.run_it("--applications", "asp,vcc", "--ppn", "2", "--rounds", "1", "--json",
                                 str(self.folder / "out.json"), *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            slower = "8" if "8" in arguments else ""
            first = computing + slower
            # Traced runs, too; the first of each application and layout measures for all others.
            rest = [first + " off2"] * 5 if computing == "asleep" else [first] * 5
            self.assertEqual(passed_on.read_text().splitlines(), [first, *rest] * 2)
            self.assertIn(f"asp, 4 hosts x 2 ranks, computing {printed}:", result.stdout)
            document = json.loads((self.folder / "out.json").read_text())
            self.assertEqual((document["computing"], document["slower"]), (computing, 8 if slower else None))
            self.assertEqual({json.dumps(run["asleep"]) for run in document["runs"]},
                             {'{"seed": 1, "floor_broadcast_s": 0.5}' if arguments else "null"})
            # Broadcasts take 20 and 10 s, of which slept steps wait 0.5 s in any case.
            net = ", net 0.49, " if arguments else ", "
            self.assertIn(f"competitive/static: broadcast 0.50{net}total", result.stdout)
            self.assertEqual(result.stdout.count("net: less 0.500 s"), 2 if arguments else 0)

    def test_the_number_of_variables_is_vccs(self):
        for arguments, variables in (([], "1000"), (["--variables", "30"], "30")):
            passed_on = self.folder / "log.random"
            passed_on.unlink(missing_ok=True)
            result = self.run_it("--applications", "vcc", "--ppn", "2", "--rounds", "1", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(set(passed_on.read_text().splitlines()), {f"vcc {variables}"})

    def test_noise_is_passed_on_and_recorded(self):
        trace = self.folder / "recorded"
        trace.touch()
        for arguments, passed_on, printed in (
                (["--noise-us", "500"], "--noise-us 500", "independent noise of 500 us"),
                (["--noise", "rare", "--noise-us", "20"], "--noise rare --noise-us 20", "rare noise of 20 us"),
                (["--noise", f"trace:{trace}"], f"--noise trace:{trace}", f"trace:{trace} noise")):
            log = self.folder / "log.noise"
            log.unlink(missing_ok=True)
            result = self.run_it("--applications", "asp", "--ppn", "2", "--rounds", "1", "--computing", "asleep",
                                 "--json", str(self.folder / "out.json"), *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            # Recorded steps have no costs that others could share.
            costs = "" if "trace:" in passed_on else " costs"
            self.assertEqual(log.read_text().splitlines(), [passed_on, *[passed_on + costs] * 5])
            self.assertIn(f"computing asleep, {printed}:", result.stdout)
            document = json.loads((self.folder / "out.json").read_text())
            self.assertEqual((document["noise"], document["noise_us"]),
                             (arguments[1] if arguments[0] == "--noise" else None,
                              float(arguments[-1]) if "--noise-us" in arguments else None))

    def test_a_failing_run_is_named(self):
        result = self.run_it("--rounds", "1", STAND_IN_FAIL="static")
        self.assertEqual(result.returncode, 1)
        self.assertIn("asp, 2 ranks a host, static", result.stderr)
        self.assertIn("something broke", result.stderr)

    def test_bad_options_are_named(self):
        for arguments, text in ((["--applications", "xyz"], "allowed are asp, vcc"), (["--ppn", "a"], "--ppn a"),
                                (["--computing", "dreaming"], "--computing"),
                                (["--variables", "0"], "--variables 0: allowed are numbers from 1"),
                                (["--variables", "9", "--data", "x"], "--variables: not together with --data"),
                                (["--slower", "2"], "--slower: allowed with --computing asleep alone"),
                                (["--noise-us", "-1"], "--noise-us -1: allowed are numbers from 0"),
                                (["--noise", "loud", "--noise-us", "1"],
                                 "--noise loud: allowed are independent, persistent, rare, trace:FILE"),
                                (["--noise", "rare"], "--noise: allowed with --noise-us K"),
                                (["--noise", "trace:/nowhere"], "--noise trace:/nowhere: there is no such file"),
                                (["--noise", "trace:/nowhere", "--noise-us", "1"], "--noise-us: not together with"),
                                (["--rounds", "0"], "at least 1"), (["--graph", "/nowhere"], "no such file")):
            result = self.run_it(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(text, result.stderr)
        result = self.run_it("--svg", "/no/folder/x.svg")
        self.assertEqual(result.returncode, 1)
        self.assertIn("--svg: cannot write /no/folder/x.svg", result.stderr)
        result = self.run_it("--svg", str(self.folder))
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"--svg: cannot write {self.folder}", result.stderr)
        result = self.run_it("--bin", "/nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertIn("bazel build", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
