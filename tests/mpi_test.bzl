"""MPI tests: one source, run at several rank counts and (pretended) node layouts."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def mpi_test(
        name,
        srcs,
        ranks,
        nodes = [""],
        leaders = ["competitive"],
        deps = [],
        args = [],
        env = [],
        data = [],
        preload = True,
        size = "medium",
        timeout_s = 120,
        tags = []):
    """Builds `name`_program and registers one test for every (ranks, nodes, leader).

    Args:
      name: of the test suite; a single test is `name`_<ranks>[_<nodes>][_<leader>].
      ranks: list of rank counts.
      nodes: list of MPIACTOR_NODES values ("" = the machine as it is); layouts that need another
        number of ranks go into a call of their own.
      leaders: list of MPIACTOR_LEADER values.
      env: further settings, "NAME=VALUE".
      preload: whether libmpiactor.so is preloaded (the polite preload always is).
      timeout_s: after this the watchdog prints every rank's stack and fails the test.
    """
    cc_binary(
        name = name + "_program",
        srcs = srcs,
        testonly = True,
        deps = deps + ["@system//:mpi"],
    )
    tests = []
    for n in ranks:
        for layout in nodes:
            for leader in leaders:
                test = "%s_%d" % (name, n)
                if layout:
                    test += "_" + layout.replace(":", "").replace(",", "")
                if len(leaders) > 1:
                    test += "_" + leader
                settings = ["MPIACTOR_LEADER=" + leader] + env
                if layout:
                    settings.append("MPIACTOR_NODES=" + layout)
                native.sh_test(
                    name = test,
                    srcs = ["//tests:run_mpi_test.sh"],
                    args = [
                        str(n),
                        str(timeout_s),
                        "$(rootpath //actor:libmpiactor.so)" if preload else "none",
                        "$(rootpath //actor/polite:libmpiactor_polite.so)",
                        ",".join([s.replace(",", "+") for s in settings]),
                        "$(rootpath :%s_program)" % name,
                    ] + args,
                    data = [
                        ":%s_program" % name,
                        "//actor/polite:libmpiactor_polite.so",
                    ] + (["//actor:libmpiactor.so"] if preload else []) + data,
                    size = size,
                    # More ranks than cores: one MPI test at a time.
                    tags = ["mpi", "exclusive", "local"] + tags,
                )
                tests.append(test)
    native.test_suite(name = name, tests = tests)
