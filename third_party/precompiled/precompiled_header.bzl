"""Headers that the compiler reads once for all sources that begin with them."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.run_shell(
        inputs = [ctx.file.header],
        outputs = [header],
        command = "cp %s %s" % (ctx.file.header.path, header.path),
    )
    compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    command = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = cc_common.create_compile_variables(
            cc_toolchain = toolchain,
            feature_configuration = features,
            user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
            use_pic = True,
        ),
    )
    arguments = ctx.actions.args()
    arguments.add_all(command)
    arguments.add_all(["-iquote", ".", "-x", "c++-header", header, "-o", compiled])
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = "c++-compile",
        ),
        arguments = [arguments],
        inputs = depset([header] + ctx.files.included, transitive = [toolchain.all_files]),
        outputs = [compiled],
        mnemonic = "CppCompile",
        progress_message = "Compiling %s" % header.short_path,
    )
    return [CcInfo(compilation_context = cc_common.create_compilation_context(
        # Where the compiler cannot use what is compiled it reads the headers.
        headers = depset([header, compiled] + ctx.files.included),
    ))]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        # As the sources have them in .bazelrc.
        "copts": attr.string_list(),
        "header": attr.label(allow_single_file = True, mandatory = True),
        "included": attr.label_list(allow_files = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
