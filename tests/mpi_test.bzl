"""MPI tests: one program, run at several rank counts, (pretended) node layouts and settings."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

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
        tags = []):
    """Registers one test, `name`, that launches a program once for each of `jobs`.

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
    native.sh_test(
        name = name,
        srcs = ["//tests:run_mpi_test.sh"],
        args = [
            str(timeout_s),
            str(at_once),
            "$(rootpath //actor:libmpiactor.so)" if preload else "none",
            "$(rootpath //actor/polite:libmpiactor_polite.so)",
        ] + settings + ["--"] + ["'%s'" % job for job in jobs] + [
            "--",
            "$(rootpath %s)" % program,
        ] + args,
        data = [
            program,
            "//actor/polite:libmpiactor_polite.so",
        ] + (["//actor:libmpiactor.so"] if preload else []) + data,
        size = size,
        # More ranks than cores: one MPI test at a time.
        tags = ["mpi", "exclusive", "local"] + tags,
    )
