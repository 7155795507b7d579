"""Tests of this folder: rows of a table."""

load("//tests:mpi_test.bzl", "mpi_test")

def collectives_test(
        name,
        jobs,
        program = "",
        seconds = "",
        env = [],
        args = [],
        never_worse = "0",
        **others):
    """An mpi_test of one of this folder's programs.

    Args:
      program: `name` where it is not given.
      seconds: of cases in each job. TEST_SECONDS in the environment goes before them: up to 40
        here, any time where a program is launched by hand.
      never_worse: "0" is also where the runtime would leave a call to the library because that is
        faster.
    """
    mpi_test(
        name = name + "_test",
        jobs = jobs,
        program = ":" + (program or name),
        env = ["MPIACTOR_NEVER_WORSE=" + never_worse] + env,
        args = (["--seconds", seconds] if seconds else []) + args,
        **others
    )
