"""Tests that launch MPI jobs, with each MPI library."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//third_party:openmpi.bzl", "COMPATIBLE_WITH", "openmpi_build")

def mpi_test(
        name,
        jobs,
        srcs = [],
        deps = [],
        program = "",
        args = [],
        env = [],
        leaders = [],
        preload = True,
        at_once = 2,
        size = "medium",
        timeout_s = 240,
        more_jobs = [],
        openmpi = "long",
        openmpi_jobs = [],
        tags = [],
        **others):
    """Registers a test, `name`, that launches a program once for each of `jobs`.

    And `name`_openmpi, which does the same with Open MPI; where it always does, the first and the
    last job. Those between are for `./test.sh --long`: X_more_test, where `name` is X_test.

    Args:
      jobs: strings of words: "RANKS" on the machine as it is, or "RANKS/NODES" with NODES as
        MPIACTOR_NODES; then settings and arguments of this job alone ("8/4 NAME=VALUE --argument").
      srcs, deps: of the program, `name`_program.
      program: in place of srcs, the label of a program that several tests share.
      args, env: arguments and settings of all jobs.
      leaders: between which the program switches itself inside each job (tests/leaders.h); else it
        has the default leaders.
      preload: whether the runtime is preloaded; else it is not even built.
      at_once: how many jobs run at a time; 1 where a program looks at times, and then no other test
        runs beside it.
      timeout_s: of each job; then the watchdog prints every rank's stack and fails the test.
      more_jobs: of X_more_test alone.
      openmpi: as for mpi_script_test.
      openmpi_jobs: with Open MPI, further jobs.
      **others: as for mpi_script_test.
    """
    if not program:
        program = ":%s_program" % name
        cc_binary(
            name = name + "_program",
            srcs = srcs,
            testonly = True,
            deps = deps + ["@system//:mpi"],
        )
    how = [str(timeout_s), str(at_once)] + ([] if preload else ["LD_PRELOAD="]) + env
    if leaders:
        how.append("MPIACTOR_TEST_LEADERS=" + ",".join(leaders))
    between = jobs[1:-1] if openmpi == "always" else []
    few = [jobs[0], jobs[-1]] if between else jobs
    others = dict(
        others,
        size = size,
        srcs = ["//tests:run_mpi_test.sh"],
        programs = [program],
        runtime = preload,
        alone = at_once == 1,
    )
    mpi_script_test(
        name = name,
        args = _jobs_args(how, jobs, args),
        openmpi = openmpi,
        openmpi_args = _jobs_args(how, few + openmpi_jobs, args),
        tags = tags,
        **others
    )
    openmpi_more = more_jobs + between
    if not openmpi_more:
        return
    mpi_script_test(
        name = name[:-len("_test")] + "_more_test",
        args = _jobs_args(how, more_jobs, args),
        mpich = more_jobs != [],
        openmpi = "long" if openmpi else "",
        openmpi_args = _jobs_args(how, openmpi_more, args),
        tags = tags + ["long"],
        **others
    )

def _jobs_args(how, jobs, args):
    return how + ["--"] + ["'%s'" % job for job in jobs] + ["--"] + args

def mpi_script_test(
        name,
        srcs,
        programs = [],
        args = [],
        data = [],
        runtime = True,
        mpich = True,
        openmpi = "long",
        openmpi_args = None,
        alone = False,
        tags = [],
        **others):
    """Registers a test, `name`, that is a script or program which launches MPI jobs itself.

    And `name`_openmpi, which does the same with Open MPI. Both are called as MPI RUNTIME PROGRAMS...
    ARGS..., MPI being "mpich" or "openmpi". Shell scripts source tests/mpi.sh, others start
    tests/mpiexec.sh.

    Args:
      srcs: the script, or the label of a program.
      programs: labels of programs and libraries that are built for each MPI library.
      runtime: whether RUNTIME is its file; else it is "-".
      mpich: whether there is a test with MPICH.
      openmpi: "always"; "long" where the test with Open MPI has that tag; "" where there is none.
      openmpi_args: of that test, in place of `args`.
      alone: whether no other test runs beside it.
    """
    tags = tags + (["exclusive"] if alone else [])
    if mpich:
        libraries = ["//actor:libmpiactor.so"] if runtime else []
        _script(name, "mpich", libraries, srcs, programs, args, data, tags, **others)
    if not openmpi:
        return

    # What `./test.sh` does not even build.
    long = ["long", "long_openmpi"] if openmpi == "long" else []
    _script(
        name + "_openmpi",
        "openmpi",
        ["//actor:libmpiactor_ompi.so"] if runtime else [],
        srcs,
        [_openmpi_program(program, long) for program in programs],
        args if openmpi_args == None else openmpi_args,
        data,
        tags + ["openmpi"] + [tag for tag in long if tag not in tags],
        target_compatible_with = COMPATIBLE_WITH,
        **others
    )

def _script(name, mpi, libraries, srcs, programs, args, data, tags, **others):
    rootpaths = ["$(rootpath %s)" % file for file in libraries] or ["-"]
    rootpaths += ["$(rootpath %s)" % program for program in programs]
    native.sh_test(
        name = name,
        srcs = srcs,
        args = [mpi] + rootpaths + args,
        # Open MPI 5's compilers and launcher want to know of one.
        env = {"HOME": "/tmp"},
        data = libraries + programs + data + [
            "//actor/polite:libmpiactor_polite.so",
            "//tests:mpi.sh",
            "//tests:mpiexec.sh",
            "//tests/tools:expect.sh",
        ],
        # More ranks than cores, process tables, signals: outside the sandbox. "mpi" keeps tests that
        # preload a library out of sanitizer builds.
        tags = ["mpi", "local"] + tags,
        **others
    )

def _openmpi_program(program, tags):
    """The label of a program, or a library, as it is with Open MPI."""
    build = Label(program).name if program.startswith("//") else program[1:]
    build += "_openmpi"
    if not native.existing_rule(build):
        openmpi_build(
            name = build,
            testonly = True,
            target = program,
            tags = tags,
        )
    return ":" + build
