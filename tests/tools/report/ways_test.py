#!/usr/bin/env python3
"""The model sends between nodes what the runtime sends, the way it does: MPI RUNTIME PROGRAM TOOL REPLAY"""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
MPI = sys.argv[1]
RUNTIME, PROGRAM, REPLAY = (str(pathlib.Path(sys.argv[place]).resolve()) for place in (2, 3, 5))
sys.argv[1:] = [sys.argv[4]]  # for report_test_case

from report_test_case import ReportTestCase  # noqa: E402
import calls as calls_of  # noqa: E402
import model  # noqa: E402
from trace_file import read_trace  # noqa: E402

NODES = 5  # enough that allreduces turn from one way to another at several sizes
WARM_UP = 1


class WaysTest(ReportTestCase):
    def record(self, leader, nodes=NODES, never_worse="1"):
        """The calls of a run, but for the first on the communicator, and what the model says of them."""
        path = str(self.folder / leader)
        settings = {"LEADER": leader, "NODES": str(nodes), "TRACE": path, "NEVER_WORSE": never_worse}
        command = ["tests/mpiexec.sh", MPI, "-n", str(2 * nodes), "-genv", "LD_PRELOAD", RUNTIME]
        for name, value in settings.items():
            command += ["-genv", f"MPIACTOR_{name}", value]
        done = subprocess.run([*command, PROGRAM], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = read_trace(path)
        calls_of.align(trace)
        calls, left = calls_of.match(trace)
        self.assertEqual(left, 0)
        calls = sorted(calls, key=lambda call: call.record.sequence)[WARM_UP:]
        node_of = {section.rank: section.node for section in trace.sections}
        # As of a run of plain MPI: nothing that the runtime did is told.
        asked = [{**model.question(call, model.parts_by_node(call, node_of), "off"), "hybrid": False, "algorithm": "auto"}
                 for call in calls]
        return calls, model.ask(REPLAY, "tcp_hosts", asked)["calls"]

    def left_where_crowded(self, call):
        """The model is of hosts with a core for each rank; without, the shortest calls are left to MPI."""
        return (os.cpu_count() < 2 * NODES and not call.hybrid
                and (call.operation == "MPI_Barrier" or call.operation == "MPI_Allreduce" and call.bytes <= 16))

    def test_competitive_leaders(self):
        seen = set()
        for call, played in zip(*self.record("competitive")):
            if self.left_where_crowded(call):
                continue
            what = (call.operation, call.bytes)
            seen.add((call.operation, call.hybrid, call.algorithm == "direct"))
            self.assertEqual(played.get("left_out") == "passed_on", not call.hybrid, what)
            if played.get("left_out") == "same":
                self.assertNotEqual(call.algorithm, "direct", what)
            # An alltoall's record always has what the leader would run.
            elif call.hybrid and call.operation != "MPI_Alltoall":
                self.assertEqual(played["competitive"]["algorithm"], call.algorithm, what)
        # On either side of the limits.
        for operation in ("MPI_Allgather", "MPI_Alltoall", "MPI_Scatter"):
            self.assertEqual({hybrid for name, hybrid, _ in seen if name == operation}, {True, False}, operation)
        self.assertEqual({direct for name, _, direct in seen if name == "MPI_Allreduce"}, {True, False})

    def test_static_leaders(self):
        plans = set()
        for call, played in zip(*self.record("static")):
            if self.left_where_crowded(call):
                continue
            what = (call.operation, call.bytes)
            self.assertEqual(played.get("left_out") == "passed_on", not call.hybrid, what)
            if call.hybrid and "left_out" not in played:
                self.assertEqual(played["static"]["algorithm"], call.algorithm, what)
                plans.add((call.operation, call.algorithm))
        # Leaders run plans; a reduce's send to the root.
        self.assertIn(("MPI_Reduce", "direct"), plans)
        self.assertNotIn(("MPI_Allreduce", "direct"), plans)
        self.assertNotIn(("MPI_Allgather", "direct"), plans)

    def test_barrier(self):
        for leader in ("static", "competitive"):
            calls, played = self.record(leader, never_worse="0")
            barriers = [(call, one) for call, one in zip(calls, played) if call.operation == "MPI_Barrier"]
            self.assertTrue(barriers)
            for call, one in barriers:
                self.assertTrue(call.hybrid)
                self.assertEqual(call.algorithm == "direct", leader == "competitive")
                self.assertEqual(one[leader]["algorithm"], call.algorithm)

    def test_blocks_are_recorded(self):
        calls, _ = self.record("competitive", nodes=2)
        call, = (call for call in calls if call.operation == "MPI_Allgatherv")
        self.assertEqual([part.record.bytes for part in call.parts], [0, 1, 2, 0])


if __name__ == "__main__":
    unittest.main()
