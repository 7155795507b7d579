"""MPI tests: one program, run at several rank counts, (pretended) node layouts and settings."""

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
        data = [],
        preload = True,
        at_once = 2,
        size = "medium",
        timeout_s = 60,
        openmpi = "long",
        openmpi_jobs = [],
        tags = []):
    """Registers a test, `name`, that launches a program once for each of `jobs`.

    And `name`_openmpi, which does the same with Open MPI.

    Args:
      jobs: strings of words: "RANKS" on the machine as it is, or "RANKS/NODES" with NODES as
        MPIACTOR_NODES; then settings and arguments of this job alone ("8/4 NAME=VALUE --argument").
      srcs, deps: of the program, `name`_program.
      program: in place of srcs, the label of a program that several tests share.
      args, env: arguments and settings of all jobs.
      leaders: between which the program switches itself inside each job (tests/leaders.h); else it
        has the default leaders.
      preload: whether libmpiactor.so is preloaded (the polite preload always is).
      at_once: how many jobs run at a time; 1 where a program looks at times.
      timeout_s: of each job; then the watchdog prints every rank's stack and fails the test.
      openmpi: "always"; "long" where the test with Open MPI has that tag; "" where there is none.
      openmpi_jobs: with Open MPI, further jobs.
    """
    if not program:
        program = ":%s_program" % name
        cc_binary(
            name = name + "_program",
            srcs = srcs,
            testonly = True,
            deps = deps + ["@system//:mpi"],
        )
    settings = list(env)
    if leaders:
        settings.append("MPIACTOR_TEST_LEADERS=" + ",".join(leaders))
    _launch(
        name,
        program,
        "//actor:libmpiactor.so" if preload else "",
        "//actor/polite:libmpiactor_polite.so",
        [str(timeout_s), str(at_once), "mpich"],
        settings,
        jobs,
        args,
        data = data,
        size = size,
        tags = tags,
    )
    if not openmpi:
        return

    # What `./test.sh` does not even build.
    long = ["long", "long_openmpi"] if openmpi == "long" else []
    build = Label(program).name if program.startswith("//") else program[1:]
    if not native.existing_rule(build + "_openmpi"):
        openmpi_build(
            name = build + "_openmpi",
            testonly = True,
            target = program,
            tags = long,
        )
    _launch(
        name + "_openmpi",
        ":%s_openmpi" % build,
        "//actor:libmpiactor_ompi.so" if preload else "",
        "",
        [str(timeout_s), str(at_once), "openmpi"],
        settings,
        jobs + openmpi_jobs,
        args,
        data = data,
        size = size,
        tags = tags + ["openmpi"] + long,
        target_compatible_with = COMPATIBLE_WITH,
    )

def _launch(name, program, runtime, polite, how, settings, jobs, args, data, tags, **others):
    """Of libraries that are preloaded, "" is none."""
    native.sh_test(
        name = name,
        srcs = ["//tests:run_mpi_test.sh"],
        args = how + [
            "$(rootpath %s)" % library if library else "none"
            for library in [runtime, polite]
        ] + settings + ["--"] + ["'%s'" % job for job in jobs] + [
            "--",
            "$(rootpath %s)" % program,
        ] + args,
        data = [program] + [library for library in [runtime, polite] if library] + data,
        # More ranks than cores: one MPI test at a time.
        tags = ["mpi", "exclusive", "local"] + tags,
        **others
    )
