"""What is built against Open MPI in place of MPICH, from the same sources."""

# Where Open MPI is not installed, `bazel build //...` leaves these targets out.
COMPATIBLE_WITH = select({
    "@system//:openmpi_installed": [],
    "//conditions:default": ["@mpiactor//third_party:openmpi_missing"],
})

def _for_openmpi(_settings, _attr):
    return {"//third_party:openmpi": True}

_transition = transition(
    implementation = _for_openmpi,
    inputs = [],
    outputs = ["//third_party:openmpi"],
)

def _build(ctx):
    target = ctx.attr.target[0][DefaultInfo]
    file = ctx.actions.declare_file(ctx.label.name)
    # A file of its own: what is loaded by its path has its name, too.
    ctx.actions.run_shell(
        inputs = [ctx.file.target],
        outputs = [file],
        command = "cp %s %s" % (ctx.file.target.path, file.path),
    )
    runfiles = ctx.runfiles(files = [file]).merge(target.default_runfiles)
    return [DefaultInfo(files = depset([file]), runfiles = runfiles, executable = file)]

_openmpi_build = rule(
    implementation = _build,
    attrs = {
        "target": attr.label(cfg = _transition, allow_single_file = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)

def openmpi_build(name, target, **others):
    """The file of `target`, a program or a shared library, as it is with Open MPI."""
    _openmpi_build(
        name = name,
        target = target,
        target_compatible_with = COMPATIBLE_WITH,
        **others
    )
