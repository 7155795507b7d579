#!/usr/bin/env python3
"""What runs between nodes is what the settings name: MPI RUNTIME PROGRAM REPORT INFO"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
MPI = sys.argv[1]
RUNTIME, PROGRAM, REPORT, INFO = (str(pathlib.Path(path).resolve()) for path in sys.argv[2:6])
del sys.argv[1:6]
sys.path.insert(0, str(pathlib.Path(REPORT).parent))

from trace_file import read_trace  # noqa: E402  (the report's modules)

COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "alltoall")
# Which setting is for which operation.
SETTING_OF = {f"MPI_{name.capitalize()}": name for name in COLLECTIVES} | {"MPI_Barrier": "allreduce"}
EIGHT_NODES = "8"


def registered():
    """The algorithms of each collective, as mpiactor-info lists them."""
    listed = json.loads(subprocess.run([INFO, "--json"], capture_output=True, text=True, check=True).stdout)
    names = collections.defaultdict(list)
    for algorithm in listed["algorithms"]:
        names[algorithm["collective"]].append(algorithm["name"])
    return names


class AlgorithmsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_job(self, *arguments, ranks=8, nodes=EIGHT_NODES, **settings):
        """The records of a job in the order of their arrival, and what it said."""
        path = str(self.folder / "trace")
        settings = {"NODES": nodes, "TRACE": path, "NEVER_WORSE": "0", "WARMUP_CALLS": "0", **settings}
        command = ["tests/mpiexec.sh", MPI, "-n", str(ranks), "-genv", "LD_PRELOAD", RUNTIME]
        for name, value in settings.items():
            command += ["-genv", f"MPIACTOR_{name}", value]
        done = subprocess.run(command + [PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        records = [record for section in read_trace(path).sections for record in section.records]
        return sorted(records, key=lambda record: record.sequence), done.stderr

    def names(self, records):
        """By operation, what ran between nodes."""
        found = collections.defaultdict(set)
        for record in records:
            self.assertTrue(record.hybrid, record)
            if record.algorithm:
                found[record.operation].add(record.algorithm)
        return found

    def check_named(self, records, asked):
        for operation, ran in self.names(records).items():
            if SETTING_OF[operation] in asked:
                self.assertEqual(ran, {asked[SETTING_OF[operation]]}, operation)

    def test_every_algorithm_by_its_setting(self):
        names = registered()
        # Which has one algorithm, and no setting.
        self.assertEqual(len(names.pop("reduce_scatter")), 1)
        self.assertEqual(set(names), set(COLLECTIVES))
        for job in range(max(map(len, names.values()))):
            asked = {collective: names[collective][job] for collective in COLLECTIVES if job < len(names[collective])}
            with self.subTest(job=job, **asked):
                torus = {"TORUS": "2x2x2"} if job % 2 else {}
                records, said = self.run_job(**{name.upper(): value for name, value in asked.items()}, **torus)
                self.assertEqual(len(self.names(records)), len(SETTING_OF))
                self.check_named(records, asked)
                self.assertEqual(said, "")

    def test_rules_of_a_table(self):
        asked = {"reduce": "rabenseifner", "allreduce": "ring", "allgather": "recdoubling", "alltoall": "bruck",
                 "bcast": "ring"}
        table = self.folder / "table.json"
        table.write_text(json.dumps({"format": "mpiactor-tuning-1",
                                     **{name: [{"algorithm": value}] for name, value in asked.items()}}))
        records, _ = self.run_job(ranks=4, nodes="2", TUNING=str(table))
        self.check_named(records, asked)

    def test_a_torus_asks_for_plans(self):
        records, _ = self.run_job(ranks=4, nodes="4", TORUS="2x2")
        for operation, ran in self.names(records).items():
            self.assertNotIn("direct", ran, operation)

    def test_the_leader_of_each_call(self):
        exchanges = {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall"}
        records, _ = self.run_job("switch", ranks=6, nodes="3")
        half = max(record.sequence for record in records) // 2
        first = self.names([record for record in records if record.sequence <= half])
        second = self.names([record for record in records if record.sequence > half])
        for operation in exchanges:
            self.assertNotIn("direct", first[operation], operation)
            self.assertEqual(second[operation], {"direct"}, operation)
        # As it was when they began.
        self.assertNotIn("direct", first["MPI_Iallreduce"])
        self.assertEqual(second["MPI_Iallreduce"], {"direct"})

    def test_what_cannot_be_had_is_said_once(self):
        _, said = self.run_job(ranks=5, nodes="0,0,1,1,2", ALLGATHER="ring", ALLTOALL="bruck", REDUCE="chain")
        lines = said.splitlines()
        self.assertEqual(len(lines), 2, said)
        self.assertIn("MPIACTOR_ALLGATHER=ring", lines[0])
        self.assertIn("MPIACTOR_ALLTOALL=bruck", lines[1])
        for line in lines:
            self.assertIn("equally many ranks", line)


if __name__ == "__main__":
    unittest.main()
