#!/usr/bin/env python3
"""What leaders would have cost, by the simulator: TOOL REPLAY"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
REPLAY = str(pathlib.Path(sys.argv.pop(2)).resolve())

import made_traces as made  # noqa: E402
from program_test import Figures  # noqa: E402
from report_test_case import TOOL, ReportTestCase  # noqa: E402
import page  # noqa: E402


class ModelTest(ReportTestCase):
    def write(self, calls, node_of=(0, 0, 1, 1), leader="off"):
        """`calls`: (arrivals and exits by rank, keywords; a list has one value for each rank)."""
        ranks = len(node_of)
        made.write(self.folder, "t", *(
            made.section(rank, ranks, [made.record(*moments[rank], rank=rank, ranks=ranks, sequence=number,
                                                   **{name: value[rank] if isinstance(value, list) else value
                                                      for name, value in more.items()})
                                       for number, (moments, more) in enumerate(calls)], node=node_of[rank], leader=leader)
            for rank in range(ranks)))

    def run_tool(self, *arguments, machine="tcp_hosts"):
        return subprocess.run([TOOL, "t", "--replay", REPLAY, "--model", machine, "-o", "r.html", "--json", "r.json",
                               *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def model(self):
        done = self.run_tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads((self.folder / "r.json").read_text())["traces"][0]["model"]

    def left_out(self):
        return {(row["operation"], row["reason"]): row["calls"] for row in self.model()["left_out"]}

    def test_late_lowest_rank_costs_static_leaders(self):
        # Rank 2, the lowest of node 1, comes 5 ms late; rank 3 was recorded to leave after 6 ms.
        self.write([([(0, 30), (0, 40), (5000, 6000), (0, 6000)], {})] * 2)
        model = self.model()
        group, = model["groups"]
        self.assertEqual((model["calls"], group["calls"], group["bytes"], group["ranks"]), (2, 2, 1024, 4))
        self.assertEqual((group["recorded_us"], group["recorded_s"]), ((30 + 40 + 1000 + 6000) / 4, 2 * 7070 / 1e6))
        # Modelled: rank 3 alone waits the 5 ms, where rank 2 leads.
        self.assertGreater(group["static_us"], 5000 / 4)
        self.assertLess(group["static_us"], 5000 / 4 + 50)
        self.assertLess(group["competitive_us"], 50)
        self.assertAlmostEqual(model["static_s"], group["static_us"] * 8 / 1e6, places=5)
        self.assertEqual(model["machine"]["name"], "tcp_hosts")

    def test_operations(self):
        late_leader, late_follower = [(0, 30), (0, 30), (5000, 6000), (0, 6000)], [(0, 30), (0, 30), (0, 6000), (5000, 6000)]
        none = {"root": -1}
        self.write([(late_leader, {"operation": "MPI_Bcast"}), (late_leader, {"operation": "MPI_Bcast", "bytes_": 64}),
                    (late_leader, {"operation": "MPI_Ibcast"}), (late_leader, {"operation": "MPI_Scatter"}),
                    (late_follower, {"operation": "MPI_Gather"}), (late_leader, {"operation": "MPI_Reduce"}),
                    (late_follower, {"operation": "MPI_Ireduce"}), (late_follower, {"operation": "MPI_Allgather", **none}),
                    (late_follower, {"operation": "MPI_Alltoall", **none})])
        model = self.model()
        figures = {row["operation"]: row for row in model["operations"]}
        self.assertEqual({name: row["calls"] for name, row in figures.items()},
                         {"MPI_Bcast": 2, "MPI_Ibcast": 1, "MPI_Scatter": 1, "MPI_Gather": 1, "MPI_Reduce": 1,
                          "MPI_Ireduce": 1, "MPI_Allgather": 1, "MPI_Alltoall": 1})
        # Somebody waits for the late one under static leaders alone: behind a leader that takes, as one that sends.
        for name in ("MPI_Bcast", "MPI_Ibcast", "MPI_Scatter", "MPI_Gather", "MPI_Ireduce"):
            self.assertGreater(figures[name]["static_us"], 5000 / 4, name)
            self.assertLess(figures[name]["competitive_us"], 50, name)
        # All others went on already, or wait for the late one in any case.
        self.assertEqual(figures["MPI_Reduce"]["static_us"], figures["MPI_Reduce"]["competitive_us"])
        for name in ("MPI_Allgather", "MPI_Alltoall"):
            self.assertLess(figures[name]["static_us"], 50, name)
            self.assertLess(figures[name]["competitive_us"], figures[name]["static_us"], name)
        for column in ("recorded_s", "static_s", "competitive_s"):
            self.assertAlmostEqual(sum(row[column] for row in model["groups"]), model[column], places=5)
            self.assertAlmostEqual(sum(row[column] for row in model["operations"]), model[column], places=5)

    def test_reductions_to_all(self):
        late, none = [(0, 30), (0, 30), (0, 6000), (5000, 6000)], {"root": -1}
        self.write([(late, {"operation": "MPI_Barrier", "bytes_": 0, **none}), (late, {"operation": "MPI_Allreduce", **none}),
                    (late, {"operation": "MPI_Iallreduce", "bytes_": 1 << 20, **none}),
                    (late, {"operation": "MPI_Reduce_scatter_block", "bytes_": 1 << 20, **none})])
        model = self.model()
        self.assertEqual((model["calls"], model["left_out"]), (4, []))
        figures = {row["operation"]: row for row in model["operations"]}
        # All wait for the last one in any case; a barrier takes a message.
        self.assertLess(figures["MPI_Barrier"]["static_us"], 30)
        self.assertLess(figures["MPI_Barrier"]["static_us"], figures["MPI_Allreduce"]["static_us"])
        self.assertLess(figures["MPI_Allreduce"]["static_us"], 50)
        for name in ("MPI_Iallreduce", "MPI_Reduce_scatter_block"):
            self.assertLess(figures[name]["competitive_us"], figures[name]["static_us"], name)
        algorithms = {group["operation"]: group["algorithms"] for group in model["groups"]}
        # Static leaders run a plan.
        self.assertEqual(algorithms["MPI_Barrier"], ["direct", "recdoubling"])
        self.assertEqual(len(algorithms["MPI_Iallreduce"]), 2)

    def test_blocks_of_different_sizes(self):
        late, none = [(0, 30), (0, 30), (0, 6000), (5000, 6000)], {"root": -1}
        # The root's record has the mean.
        self.write([(late, {"operation": "MPI_Gatherv", "bytes_": [700, 100, 200, 2500]}),
                    (late, {"operation": "MPI_Gatherv", "bytes_": [700, 100, 200, 0]}),
                    (late, {"operation": "MPI_Allgatherv", "bytes_": [100, 100, 3000, 0], **none})])
        model = self.model()
        groups = {(row["operation"], row["bytes"]): row for row in model["groups"]}
        self.assertEqual(sorted(groups), [("MPI_Allgatherv", 3000), ("MPI_Gatherv", 700), ("MPI_Gatherv", 2500)])
        for bytes_ in (700, 2500):
            self.assertGreater(groups["MPI_Gatherv", bytes_]["static_us"], 5000 / 4)
            self.assertLess(groups["MPI_Gatherv", bytes_]["competitive_us"], 50)
        # What is sent is what the ranks have recorded, not four blocks of the longest.
        self.assertGreater(groups["MPI_Gatherv", 2500]["competitive_us"], groups["MPI_Gatherv", 700]["competitive_us"])
        self.write([(late, {"operation": "MPI_Gatherv", "bytes_": [700, 200, 0, 0]}),
                    (late, {"operation": "MPI_Gatherv", "bytes_": [700, 200, 200, 200]})])
        group, = self.model()["groups"]
        self.write([(late, {"operation": "MPI_Gatherv", "bytes_": [700, 200, 200, 200]})] * 2)
        self.assertLess(group["competitive_us"], self.model()["groups"][0]["competitive_us"])

    def test_ranks_are_arranged_by_nodes(self):
        # Dealt out to nodes in turn: ranks 0 and 2 are on node 0, the root is rank 3, node 1's lowest is rank 1.
        late_leader = ([(5000, 6000), (0, 6000), (0, 6000), (0, 30)], {"root": 3})
        self.write([late_leader], (0, 1, 0, 1))
        group, = self.model()["groups"]
        self.assertGreater(group["static_us"], 5000 / 4)
        self.assertLess(group["competitive_us"], 50)
        # On two nodes in blocks rank 0, which is late, still leads its node; its neighbour is rank 1.
        late_follower = ([(0, 30), (0, 30), (5000, 6000), (0, 30)], {"root": 3})
        self.write([late_follower], (0, 1, 0, 1))
        self.assertLess(self.model()["groups"][0]["static_us"], 50)

    def test_nodes_of_different_sizes(self):
        # Rank 0 leads ranks 1 and 3 of its node under static leaders; rank 2 is the root, alone.
        self.write([([(5000, 6000), (0, 6000), (0, 30), (0, 30)], {"root": 2})], (0, 0, 1, 0))
        group, = self.model()["groups"]
        self.assertGreater(group["static_us"], 2 * 5000 / 4)
        self.assertLess(group["competitive_us"], 50)

    def test_what_cannot_be_played_is_left_out(self):
        same, none = [(0, 10)] * 4, {"root": -1}
        calls = [(same, {}), (same, {"bytes_": 0}), (same, {"operation": "MPI_Barrier", "bytes_": 0, **none}),
                 (same, {"operation": "MPI_Reduce_scatter", **none}), (same, {"operation": "MPI_Gatherv", "bytes_": 0}),
                 (same, {"operation": "MPI_Alltoallv", **none}), (same, {"operation": "MPI_Exscan", **none}),
                 (same, {"operation": "MPI_Alltoall", "bytes_": 4097, **none}),
                 (same, {"operation": "MPI_Alltoall", "bytes_": 4097, "hybrid": True, **none}),
                 (same, {"operation": "MPI_Scatter", "bytes_": (1 << 20) + 1})]
        self.write(calls)
        self.assertEqual(self.left_out(), {
            ("MPI_Bcast", "no_bytes"): 1, ("MPI_Reduce_scatter", "sizes_unknown"): 1, ("MPI_Gatherv", "no_bytes"): 1,
            ("MPI_Alltoallv", "sizes_unknown"): 1, ("MPI_Exscan", "not_modelled"): 1, ("MPI_Alltoall", "passed_on"): 1,
            ("MPI_Scatter", "passed_on"): 1})
        self.assertEqual(self.model()["calls"], 3)
        self.write([(same, {})], (0, 1, 2, 3))
        self.assertEqual(self.left_out(), {("MPI_Bcast", "one_rank_each"): 1})
        self.write([(same, {})], (0, 0, 0, 0))
        self.assertEqual((self.left_out(), self.model()["groups"]), ({("MPI_Bcast", "one_node"): 1}, []))
        self.assertIn("1</span> MPI_Bcast: within one node", (self.folder / "r.html").read_text())

    def test_many_nodes(self):
        # Nine nodes of two ranks: the lowest rank talks in a long reduce and an allgather whoever leads.
        ranks = [(0, 10)] * 18
        self.write([(ranks, {"operation": "MPI_Reduce", "bytes_": 20000}), (ranks, {"operation": "MPI_Allgather", "root": -1}),
                    (ranks, {"operation": "MPI_Barrier", "root": -1}), (ranks, {"operation": "MPI_Gather"})],
                   tuple(rank // 2 for rank in range(18)))
        self.assertEqual(self.left_out(), {("MPI_Reduce", "same"): 1, ("MPI_Allgather", "same"): 1, ("MPI_Barrier", "same"): 1})
        self.assertEqual(self.model()["calls"], 1)

    def test_algorithms_of_exchanges_that_ran(self):
        late, more = [(0, 10), (0, 10), (0, 10), (5000, 5010)], {"root": -1, "hybrid": True}
        self.write([(late, {"operation": "MPI_Allgather", "algorithm": "ring", **more}),
                    (late, {"operation": "MPI_Allgather", "algorithm": "direct", **more}),
                    (late, {"operation": "MPI_Alltoall", "algorithm": "pairwise", **more})], leader="competitive")
        self.assertEqual(self.left_out(), {("MPI_Allgather", "same"): 1})
        self.assertEqual([group["algorithms"] for group in self.model()["groups"]],
                         [["bruck", "direct"], ["direct", "pairwise"]])
        # Where fixed leaders send under the setting, too.
        self.write([(late, {"operation": "MPI_Allgather", "algorithm": "ring", **more})], leader="static")
        self.assertEqual([group["algorithms"] for group in self.model()["groups"]], [["direct", "ring"]])

    def test_page_shows_the_figures_of_json(self):
        late = [(0, 30), (0, 40), (5000, 6000), (0, 6000)]
        self.write([(late, {"algorithm": "chain", "hybrid": True}), (late, {"bytes_": 2000}),
                    (late, {"operation": "MPI_Gather"}), (late, {"operation": "MPI_Alltoallv", "root": -1})])
        self.run_tool()
        report = json.loads((self.folder / "r.json").read_text())
        text = (self.folder / "r.html").read_text()
        self.assertIn("What leaders would have cost (modelled)", text)
        cells = [cell for cell in Figures(text).cells if ".model." in cell[0]]
        # Every figure of every size, of the broadcasts together, of all calls, and what is left out.
        shown = {name.split("model.")[1] for name, _ in cells}
        for name in ("groups.0.static_us", "groups.1.recorded_s", "groups.2.competitive_us", "operations.0.static_us",
                     "left_out.0.calls", "static_s"):
            self.assertIn(name, shown)
        for name, shown in cells:
            expected = page.look_up(report, name)
            self.assertAlmostEqual(float(shown.replace(",", "")), expected, delta=max(abs(expected) * 1e-3, 0.0006), msg=name)
        self.assertEqual(report["traces"][0]["model"]["groups"][0]["algorithms"], ["chain"])

    def test_errors_are_named(self):
        self.write([([(0, 10)] * 4, {})])
        done = self.run_tool(machine="moon")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mpiactor-report: --model: machine is 'moon'; allowed: ddr_infiniband", done.stderr)
        for program, said in (("/bin/true", "--replay: /bin/true does not answer as mpiactor-replay does"),
                              ("/bin/false", "--model: /bin/false ended with status 1")):
            program = os.path.realpath(program)
            said = said.replace("/bin/", os.path.dirname(program) + "/")
            done = self.run_tool("--replay", program)
            self.assertEqual((done.returncode, done.stderr), (1, f"mpiactor-report: {said}\n"))
        done = self.run_tool("--replay", "/no/program")
        self.assertEqual((done.returncode, done.stderr), (1, "mpiactor-report: --replay: there is no file /no/program\n"))
        self.write([([(0, 10)] * 4, {"algorithm": "magic"})])
        self.assertIn("algorithm is 'magic'; allowed: auto, ", self.run_tool().stderr)


if __name__ == "__main__":
    unittest.main()
