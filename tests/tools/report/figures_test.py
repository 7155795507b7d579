#!/usr/bin/env python3
"""Figures against what a hand works out: TOOL"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import made_traces as made  # noqa: E402
from report_test_case import ReportTestCase  # noqa: E402  (finds the tool's modules)
import calls as calls_of  # noqa: E402
import figures  # noqa: E402
from trace_file import read_trace  # noqa: E402


def times(call):
    """(wait, late, transfer) of each rank in microseconds."""
    return [(part.wait / 1000, part.late / 1000, part.transfer / 1000) for part in call.parts]


class FiguresTest(ReportTestCase):
    def trace(self, calls, name="t", sites=(), **facts):
        """`calls`: for each call a list of (arrival, exit) by rank and keywords for made_traces.record()."""
        ranks = len(calls[0][0])
        sections = []
        for rank in range(ranks):
            records = []
            for sequence, (moments, more) in enumerate(calls):
                own = {key: value[rank] if isinstance(value, list) else value for key, value in more.items()}
                records.append(made.record(*moments[rank], rank=rank, ranks=ranks, sequence=sequence, **own))
            sections.append(made.section(rank, ranks, records, sites, node=rank // 2, **facts))
        return read_trace(made.write(self.folder, name, *sections))

    def match(self, calls):
        trace = self.trace(calls)
        calls_of.align(trace)
        return calls_of.match(trace)[0]

    def test_ranks_beyond_any_job_are_not_counted_one_by_one(self):
        path = made.write(self.folder, "t", made.section(0, 1, [made.record(0, 5, ranks=(1 << 32) - 1)]))
        trace = read_trace(path)
        calls_of.align(trace)
        self.assertEqual(calls_of.match(trace), ([], 1))

    def test_broadcast(self):
        # The root comes at 100, rank 3 last, at 300. Excess: root 20, others 50, 210 and 30; of the others the best
        # tenth is 30. Rank 1 spends its 50 before the last arrival: 20 of it late, rank 2 200 of it: 170.
        call, = self.match([([(100, 120), (0, 150), (50, 310), (300, 330)], {"root": 0})])
        self.assertEqual(times(call), [(0, 0, 20), (100, 20, 30), (50, 170, 40), (0, 0, 30)])
        self.assertEqual(call.spread, 300_000)

    def test_best_excess_is_that_of_the_same_size(self):
        # The second call is one of another size: the best of its kind is its own 100.
        small, large = self.match([([(0, 10), (0, 10)], {"bytes_": 8}), ([(100, 110), (100, 200)], {"bytes_": 9})])
        self.assertEqual(times(small), [(0, 0, 10), (0, 0, 10)])
        self.assertEqual(times(large), [(0, 0, 10), (0, 0, 100)])

    def test_allreduce_waits_for_the_last(self):
        call, = self.match([([(0, 90), (80, 95)], {"operation": "MPI_Allreduce", "root": -1})])
        self.assertEqual(times(call), [(80, 0, 10), (0, 0, 15)])

    def test_gather_makes_the_root_alone_wait(self):
        call, = self.match([([(0, 110), (100, 105), (10, 60)], {"operation": "MPI_Gather", "root": 0})])
        self.assertEqual(times(call), [(100, 0, 10), (0, 0, 5), (0, 45, 5)])

    def test_nonblocking_calls_wait_as_the_blocking_ones(self):
        call, = self.match([([(0, 110), (100, 105), (10, 60)], {"operation": "MPI_Ireduce", "root": 0})])
        self.assertEqual(times(call), [(100, 0, 10), (0, 0, 5), (0, 45, 5)])
        call, = self.match([([(100, 120), (0, 140), (200, 210)], {"operation": "MPI_Ibcast", "root": 0})])
        self.assertEqual([wait for wait, _, _ in times(call)], [0, 100, 0])
        self.assertEqual(self.match([([(0, 1), (0, 1)], {"operation": "MPI_Ibcast", "root": -1})]), [])

    def test_exit_before_the_root_arrives_is_no_negative_excess(self):
        call, = self.match([([(100, 120), (0, 90)], {"root": 0})])
        self.assertEqual(times(call), [(0, 0, 20), (90, 0, 0)])

    def test_calls_that_a_rank_lacks_are_left_out(self):
        one = made.section(0, 2, [made.record(0, 1, rank=0, sequence=s) for s in range(3)])
        other = made.section(1, 2, [made.record(0, 1, rank=1, sequence=1)])
        trace = read_trace(made.write(self.folder, "t", one, other))
        calls_of.align(trace)
        calls, left_out = calls_of.match(trace)
        self.assertEqual(([call.record.sequence for call in calls], left_out), ([1], 2))

    def test_wrong_calls_are_left_out(self):
        both = [(0, 1), (0, 1)]
        trace = self.trace([(both, {"root": -1}), (both, {"root": 2}), (both, {"root": [0, 1]}),
                            (both, {"operation": ["MPI_Bcast", "MPI_Reduce"]}), (both, {"root": 1})])
        calls_of.align(trace)
        calls, left_out = calls_of.match(trace)
        self.assertEqual(([call.record.sequence for call in calls], left_out), ([4], 4))

    def test_communicators_are_told_apart(self):
        records = [made.record(0, 1, ranks=1, communicator=c) for c in (5, 6)]
        trace = read_trace(made.write(self.folder, "t", made.section(0, 1, records)))
        calls_of.align(trace)
        self.assertEqual(len(calls_of.match(trace)[0]), 2)

    def test_clocks_are_aligned_with_their_drift(self):
        # Rank 1's clock is 1000 us behind at its 0 and 1010 us at its 10,000: at its 5,000, 1005 us.
        one = made.section(0, 2, [made.record(6000, 6010, rank=0)])
        other = made.section(1, 2, [made.record(5000, 5010, rank=1)], same_clock=False,
                             start=(0, made.ns(1000), 500), end=(made.ns(10000), made.ns(1010), 700))
        trace = read_trace(made.write(self.folder, "t", one, other))
        result, _ = figures.figures_of(trace)
        self.assertEqual([row["arrival_us"] for row in result["timelines"][0]["ranks"]], [0, 5])
        self.assertEqual(result["clock"], {"same": False, "worst_uncertainty_us": 0.7, "worst_drift_ppm": 1000.0})

    def test_quantile_is_one_of_the_values(self):
        values = list(range(1, 21))
        self.assertEqual([calls_of.quantile(values, q) for q in (0.1, 0.5, 0.95, 1)], [2, 10, 19, 20])

    def test_summary_groups_leaders_and_heat(self):
        calls = [
            ([(0, 10), (0, 10), (0, 10), (0, 10)], {"hybrid": True, "led": [1, None, 2, None], "algorithm": "linear"}),
            ([(100, 110), (120, 130), (100, 110), (160, 170)], {"hybrid": True, "led": [101, None, None, 161]}),
            ([(200, 220), (200, 220), (200, 220), (200, 220)], {"bytes_": 2048}),
        ]
        result, _ = figures.figures_of(self.trace(calls))
        self.assertEqual((result["calls"], result["hybrid_calls"], result["records"]), (3, 2, 12))
        self.assertEqual(result["summary"], {
            "in_call_s": 0.00016, "wait_s": 0.0, "wait_share": 0.0, "late_s": 0.0, "late_share": 0.0,
            "transfer_s": 0.00016, "transfer_share": 1.0})
        small, large = result["groups"]
        self.assertEqual((small["bytes"], small["calls"], small["algorithms"]), (1024, 2, ["linear"]))
        self.assertEqual(small["spread_us"], {"mean": 30.0, "p50": 0.0, "p95": 60.0, "max": 60.0})
        self.assertEqual(large["excess_us"], {"mean": 20.0, "p50": 20.0, "p95": 20.0, "max": 20.0})
        self.assertEqual(result["leaders"], [
            {"node": 0, "requests": 2, "ranks": [{"rank": 0, "led": 2}, {"rank": 1, "led": 0}]},
            {"node": 1, "requests": 2, "ranks": [{"rank": 2, "led": 1}, {"rank": 3, "led": 1}]}])
        self.assertEqual(result["heat"], {"ranks": [0, 1, 2, 3], "first_call": [0, 1, 2], "lateness_us": [
            [0, 0, 0], [0, 20, 0], [0, 0, 0], [0, 60, 0]]})

    def test_call_sites(self):
        sites = [made.call_site(0x10, "/a/prog", "solve"), made.call_site(0x20, "/a/prog")]
        calls = [([(0, 10), (0, 20)], {"site": 1}),
                 ([(100, 110), (140, 160)], {"site": 1, "bytes_": 4096}),
                 ([(200, 290), (200, 290)], {"site": [2, 1]}),  # the ranks call from different places
                 ([(300, 301), (300, 301)], {"site": 0, "operation": "MPI_Barrier", "root": -1})]
        result, _ = figures.figures_of(self.trace(calls, sites=sites))
        mixed, plain, unknown = result["call_sites"]
        self.assertEqual((mixed["site"], mixed["calls"], mixed["excess_s"]), ("prog+0x20 | prog+0x10 solve", 1, 180e-6))
        self.assertEqual((plain["site"], plain["calls"], plain["bytes_min"], plain["bytes_max"]),
                         ("prog+0x10 solve", 2, 1024, 4096))
        self.assertEqual(plain["spread_us"], {"mean": 20.0, "p50": 0.0, "p95": 40.0, "max": 40.0})
        self.assertEqual((plain["excess_us"]["mean"], plain["in_call_s"]), (15.0, 60e-6))
        self.assertEqual((unknown["site"], unknown["operation"]), ("unknown", "MPI_Barrier"))
        self.assertEqual([point["site"] for point in result["spread"]],
                         ["prog+0x10 solve"] * 2 + ["prog+0x20 | prog+0x10 solve", "unknown"])

    def test_lines_are_those_of_an_unchanged_program(self):
        # Traces keep 384 bytes of a module's path; folders of tests may have longer ones.
        scratch = tempfile.TemporaryDirectory(dir="/tmp")
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name, *["a-folder-with-quite-a-long-name"] * 6)
        folder.mkdir(parents=True)
        (folder / "p.c").write_text("int called(void);\nint caller(void) {\n  return 1 + called();\n}\n"
                                         "int called(void) { return 3; }\nint main(void) { return caller(); }\n")
        subprocess.run(["gcc", "-g", "-O0", "-o", "p", "p.c"], cwd=folder, check=True)
        program = folder / "p"
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
        caller = next(int(line.split()[0], 16) for line in symbols if line.endswith(" caller"))
        facts = program.stat()
        # In the function's first instructions, before the call.
        for size, label in ((facts.st_size, "p.c:2 caller"), (facts.st_size + 1, f"p+{caller + 1:#x} near")):
            site = made.call_site(caller + 1, str(program), "near", size, facts.st_mtime_ns)
            result, _ = figures.figures_of(self.trace([([(0, 1)], {"site": 1})], sites=[site]))
            self.assertEqual(result["call_sites"][0]["site"], label)

    def test_timelines_of_many_calls_hold_the_worst(self):
        calls = [([(100 * i, 100 * i + (90 if i == 777 else 10))] * 2, {}) for i in range(1000)]
        result, _ = figures.figures_of(self.trace(calls))
        numbers = [timeline["call"] for timeline in result["timelines"]]
        self.assertEqual(len(numbers), figures.MOST_TIMELINES)
        self.assertIn(777, numbers)
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(len(result["heat"]["first_call"]), figures.MOST_HEAT_COLUMNS)

    def test_side_by_side(self):
        plain = self.trace([([(0, 100), (0, 100)], {})], "plain", leader="off")
        quick = self.trace([([(0, 25), (0, 25)], {})], "quick")
        report, _ = figures.report([plain, quick])
        self.assertEqual([trace["label"] for trace in report["traces"]], ["plain", "competitive"])
        row, = report["comparison"]
        self.assertEqual([of["excess_mean_us"] for of in row["traces"]], [100, 25])
        self.assertEqual([of["excess_ratio"] for of in row["traces"]], [1, 0.25])

    def test_traces_of_one_kind_are_named_by_their_files(self):
        traces = [self.trace([([(0, 1), (0, 1)], {})], name) for name in ("a", "b")]
        report, _ = figures.report(traces)
        self.assertEqual([trace["label"] for trace in report["traces"]], ["competitive (a)", "competitive (b)"])
        report, _ = figures.report([traces[0], traces[1], traces[0]])
        self.assertEqual([trace["label"] for trace in report["traces"]],
                         ["competitive (a, 1)", "competitive (b)", "competitive (a, 3)"])


if __name__ == "__main__":
    unittest.main()
