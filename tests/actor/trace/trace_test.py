#!/usr/bin/env python3
"""What a job records: MPI RUNTIME PROGRAM REPORT"""

import collections
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
MPI = sys.argv[1]
RUNTIME, PROGRAM, REPORT = (str(pathlib.Path(path).resolve()) for path in sys.argv[2:5])
del sys.argv[1:5]
sys.path.insert(0, str(pathlib.Path(REPORT).parent))

import figures  # noqa: E402  (the report's modules)
from trace_file import read_trace  # noqa: E402

NAME = os.path.basename(PROGRAM)[:15]  # as the kernel has it
RANKS = 4
BLOCK = 4000  # bytes of a rank's block
BYTES = {
    "MPI_Bcast": BLOCK, "MPI_Scatter": BLOCK, "MPI_Gather": BLOCK, "MPI_Reduce": BLOCK, "MPI_Allreduce": BLOCK,
    "MPI_Allgather": BLOCK, "MPI_Allgatherv": BLOCK, "MPI_Alltoall": BLOCK, "MPI_Barrier": 0,
    "MPI_Gatherv": BLOCK, "MPI_Scatterv": BLOCK, "MPI_Alltoallv": BLOCK,
    "MPI_Reduce_scatter": None, "MPI_Reduce_scatter_block": None,  # of the whole vector
}
ROOTED = {"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce"}
ITERATIONS = 20


STARTED = """#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int x = 0;
  MPI_Request request;
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Startall(1, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return MPI_Finalize();
}
"""

# A broadcast of one integer and one of two, which start on rank 0 when all others have started them, on each rank
# in another order. With an argument their communicator has ended by then.
ORDERED = """#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  alarm(20);
  int rank, size, one = 0, x = 0, y[2] = {0};
  MPI_Request request[2];
  MPI_Comm copy;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Bcast_init(&x, 1, MPI_INT, 0, copy, MPI_INFO_NULL, &request[rank % 2]);
  MPI_Bcast_init(y, 2, MPI_INT, 1, copy, MPI_INFO_NULL, &request[1 - rank % 2]);
  if (argc > 1) MPI_Comm_free(&copy);
  for (int i = 1; rank == 0 && i < size; ++i) MPI_Recv(&one, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Startall(2, request);
  if (rank != 0) MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&request[i]);
  if (argc == 1) MPI_Comm_free(&copy);
  return MPI_Finalize();
}
"""

MOVING = """#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (chdir("/") != 0) return 1;
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""

# Only once the MPI library has made its own files, which may be longer.
LIMITED = """#include <mpi.h>
#include <sys/resource.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  struct rlimit limit = {1200000, 1200000};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  for (int i = 0; i < 6000; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""

# Processes with the runtime, and spawned ones without it, broadcast to each other.
SPAWNING = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, all;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    char* arguments[] = {"-u", "LD_PRELOAD", argv[0], NULL};
    MPI_Comm_spawn("/usr/bin/env", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(parent, 0, &all);
  } else {
    MPI_Intercomm_merge(parent, 1, &all);
  }
  int rank, size, wrong = 0, sum = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  for (long i = 0; i < 50; ++i) {
    long value = rank == i % size ? 77 + i : 0;
    MPI_Bcast(&value, 1, MPI_LONG, i % size, all);
    wrong += value != 77 + i;
  }
  MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, all);
  if (rank == 0) printf("wrong %d\\n", sum);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  return MPI_Finalize();
}
"""


class TraceTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.path = str(self.folder / "trace")

    def command(self, *arguments, ranks=RANKS, before=()):
        return ["-n", str(ranks), *before, PROGRAM, *map(str, arguments)]

    def launch(self, *commands, leader="competitive", nodes="2", trace=None, **settings):
        settings = {"LEADER": leader, "NODES": nodes, "TRACE": trace or self.path, "NEVER_WORSE": "0", **settings}
        command = ["tests/mpiexec.sh", MPI, "-genv", "LD_PRELOAD", RUNTIME]
        for name, value in settings.items():
            command += ["-genv", f"MPIACTOR_{name}", value]
        for number, part in enumerate(commands):
            command += ([":"] if number else []) + part
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    def compiled(self, name, text):
        (self.folder / f"{name}.c").write_text(text)
        program = str(self.folder / name)
        subprocess.run([f"mpicc.{MPI}", "-o", program, f"{program}.c"], check=True)
        return program

    def run_mode(self, leader):
        done = self.launch(self.command(ITERATIONS), leader=leader)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual([file.name for file in self.folder.iterdir()], ["trace"])
        trace = read_trace(self.path)
        self.check_records(trace)
        result, calls = figures.figures_of(trace)
        self.assertEqual((result["calls"], result["incomplete_calls"]), (3 * 14 * ITERATIONS, 0))
        self.assertTrue(result["clock"]["same"])
        self.assertEqual((result["leader"], result["program"], result["nodes"]), (leader, NAME, 2))
        return result, calls

    def check_records(self, trace):
        self.check_call_sites(trace)
        for section in trace.sections:
            self.assertEqual(section.node, section.rank // 2)
            counts = collections.Counter(record.operation for record in section.records)
            self.assertEqual(counts, dict.fromkeys(BYTES, 2 * ITERATIONS))
            for record in section.records:
                self.check_record(record)

    def check_call_sites(self, trace):
        of_operation = collections.defaultdict(set)
        for section in trace.sections:
            for record in section.records:
                self.assertIsNotNone(record.call_site, record)
                self.assertEqual(os.path.realpath(record.call_site.module), os.path.realpath(PROGRAM))
                of_operation[record.operation].add(record.call_site.offset)
        # Each is called at one place of the source, which the compiler may have doubled for the two communicators.
        for offsets in of_operation.values():
            self.assertLessEqual(len(offsets), 2)
        self.assertEqual(sum(map(len, of_operation.values())), len(set.union(*of_operation.values())))

    def check_record(self, record):
        moments = [record.arrival, record.first_byte, record.last_byte, record.exit]
        happened = [moment for moment in moments if moment]
        self.assertEqual(happened, sorted(happened), record)
        self.assertTrue(not record.led or record.arrival <= record.led <= record.exit, record)
        bytes_ = BYTES[record.operation]
        self.assertEqual(record.bytes, BLOCK * record.comm_ranks if bytes_ is None else bytes_, record)
        iteration = record.sequence // 14
        self.assertEqual(record.root, iteration % record.comm_ranks if record.operation in ROOTED else -1)

    def leaders_of(self, call):
        """{node: ranks that led it}, over the communicator's nodes."""
        led = {}
        for part in call.parts:
            led.setdefault(part.record.rank // 2, []).extend([part.record.rank] if part.record.led else [])
        return led

    def check_leaders(self, calls, competitive):
        """One leader for each node and request where a message is given out; on its own node the root, in
        broadcasts also another one that may lead there."""
        checked = 0
        for call in calls:
            if not call.hybrid or call.operation not in ("MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"):
                continue
            led = self.leaders_of(call)
            root = call.parts[call.record.root].record.rank
            self.assertEqual([len(ranks) for ranks in led.values()], [1] * len(led), call.parts)
            if call.operation != "MPI_Bcast":
                self.assertEqual(led[root // 2], [root])
            elif not competitive:
                self.assertIn(led[root // 2], ([root], [root // 2 * 2]))
            checked += 1
        self.assertGreater(checked, ITERATIONS)

    def test_competitive(self):
        result, calls = self.run_mode("competitive")
        self.check_leaders(calls, competitive=True)
        broadcasts = [call for call in calls if call.operation == "MPI_Bcast" and call.hybrid]
        self.assertTrue(all(call.algorithm == "linear" for call in broadcasts))
        for call in broadcasts:
            self.assertTrue(all(part.record.first_byte and part.record.last_byte for part in call.parts))

    def test_static(self):
        _, calls = self.run_mode("static")
        self.check_leaders(calls, competitive=False)
        for call in calls:
            if call.operation != "MPI_Bcast" or not call.hybrid or len(call.parts) != RANKS:
                continue
            root = call.parts[call.record.root].record.rank
            other = 1 - root // 2
            self.assertEqual(self.leaders_of(call)[other], [2 * other])

    def test_off(self):
        result, calls = self.run_mode("off")
        self.assertEqual(result["hybrid_calls"], 0)
        for call in calls:
            for part in call.parts:
                self.assertEqual((part.record.led, part.record.first_byte, part.record.algorithm), (0, 0, ""))

    @unittest.skipIf(MPI == "openmpi", "whose persistent calls are its own")
    def test_persistent_calls_are_shown_where_they_start(self):
        program = self.compiled("started", STARTED)
        done = self.launch(["-n", "2", program], nodes="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for section in read_trace(self.path).sections:
            sites = [record.call_site.offset for record in section.records]
            # One line for the barriers, one for each start; not where the request was made.
            self.assertEqual((len(sites), len(set(sites))), (5, 3))
        # What is passed on is recorded where it blocks.
        done = self.launch(["-n", "2", program], nodes="1", leader="off")
        self.assertEqual(done.returncode, 0, done.stderr)
        for section in read_trace(self.path).sections:
            self.assertEqual([record.operation for record in section.records], ["MPI_Barrier"] * 3)

    @unittest.skipIf(MPI == "openmpi", "whose persistent calls are its own")
    def test_starts_in_any_order_need_no_communicator(self):
        program = self.compiled("ordered", ORDERED)
        for arguments in ([], ["freed"]):
            done = self.launch(["-n", str(RANKS), program, *arguments])
            self.assertEqual(done.returncode, 0, done.stderr)
            found = collections.defaultdict(list)
            for section in read_trace(self.path).sections:
                for record in section.records:
                    key = (record.communicator, record.sequence, record.comm_ranks)
                    found[key].append((record.bytes, record.root))
            self.assertEqual(sorted(found.values()), [[(4, 0)] * RANKS, [(8, 1)] * RANKS])

    def test_no_staging_is_like_off(self):
        done = self.launch(self.command(2), SHM_LIMIT="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read_trace(self.path).sections[0].leader, "off")

    def test_killed_rank(self):
        done = self.launch(self.command(ITERATIONS, 2))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), [f"trace.{r}" for r in range(RANKS)])
        trace = read_trace(self.path)
        self.assertIn("the job did not end by itself", trace.notes[0])
        self.assertEqual([len(section.records) for section in trace.sections], [2 * 14 * ITERATIONS] * RANKS)
        self.check_records(trace)
        result, _ = figures.figures_of(trace)
        self.assertEqual((result["calls"], result["complete"]), (3 * 14 * ITERATIONS, False))

    def test_merged_file_of_an_earlier_run_goes_away(self):
        pathlib.Path(self.path).write_text("old")
        self.launch(self.command(1, 0))
        self.assertFalse(pathlib.Path(self.path).exists())

    def test_jobs_of_one_name_keep_apart(self):
        with concurrent.futures.ThreadPoolExecutor() as jobs:
            for done in jobs.map(lambda _: self.launch(self.command(ITERATIONS)), range(3)):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))
        self.assertEqual([file.name for file in self.folder.iterdir()], ["trace"])
        self.check_records(read_trace(self.path))

    @unittest.skipIf(MPI == "mpich", "MPICH's launcher does not spawn here")
    def test_processes_of_another_job_are_left_alone(self):
        done = self.launch(["-n", "2", self.compiled("spawning", SPAWNING)])
        self.assertEqual((done.returncode, done.stdout), (0, "wrong 0\n"), done.stderr)
        operations = {record.operation for section in read_trace(self.path).sections for record in section.records}
        self.assertNotIn("MPI_Bcast", operations)

    def test_unwritable_path(self):
        done = self.launch(self.command(2), trace="/no/such/folder/trace")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        self.assertEqual(done.stderr, "mpiactor: MPIACTOR_TRACE: cannot write '/no/such/folder/trace': "
                                      "No such file or directory; nothing is recorded\n")

    def test_program_that_changes_its_folder(self):
        program = self.compiled("moving", MOVING)
        done = self.launch(["-n", "2", "env", "-C", str(self.folder), program], trace="trace")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["moving", "moving.c", "trace"])
        self.assertEqual([len(section.records) for section in read_trace(self.path).sections], [3, 3])

    def test_limit_on_the_length_of_files(self):
        # A rank's file may not grow once, nor the merged one become as long as all of them.
        done = self.launch(["-n", str(RANKS), self.compiled("limited", LIMITED)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"cannot write '{self.path}': File too large; the ranks' files {self.path}.RANK are left",
                      done.stderr)
        for rank in range(RANKS):
            self.assertRegex(done.stderr, f"rank {rank}: the oldest [0-9]+ calls were dropped, since "
                                          f"'{self.path}.{rank}' could not grow: File too large")
        self.assertFalse(pathlib.Path(self.path).exists())
        self.assertEqual([len(section.records) for section in read_trace(self.path).sections], [4096] * RANKS)

    def test_clocks_apart(self):
        # A time namespace of its own: the same kernel, a monotonic clock an hour ahead.
        other = ["unshare", "--time", "--monotonic", "3600", "--fork"]
        probe = subprocess.run(other + ["true"], capture_output=True, text=True)
        if probe.returncode != 0:
            self.skipTest(f"no time namespaces here: {probe.stderr.strip()}")
        several = ["tests/mpiexec.sh", MPI, "-n", "1", "true", ":", "-n", "1", "true"]
        if subprocess.run(several, capture_output=True).returncode == -signal.SIGSEGV:
            self.skipTest("the launcher does not start two programs, as Open MPI 5.0.7's")
        done = self.launch(self.command(ITERATIONS, ranks=2), self.command(ITERATIONS, ranks=2, before=other), leader="off")
        self.assertEqual(done.returncode, 0, done.stderr)
        trace = read_trace(self.path)
        self.assertEqual([section.clock_is_rank0 for section in trace.sections], [True, True, False, False])
        for section in trace.sections[2:]:
            self.assertAlmostEqual(section.start.offset_ns, -3600e9, delta=20e6)
        result, calls = figures.figures_of(trace)
        error = result["clock"]["worst_uncertainty_us"] * 1000 + 1000
        for call in calls:
            if call.operation == "MPI_Barrier":
                for part in call.parts:
                    self.assertGreaterEqual(part.record.exit, call.last - error)


if __name__ == "__main__":
    unittest.main()
