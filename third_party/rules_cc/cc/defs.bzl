"""The C++ rules built into Bazel 4 under the names that rules_cc gives them.

What this tree builds with them begins with a precompiled header, see //third_party/precompiled.
"""

_PLACE = "third_party/precompiled"

def _with_header(attributes):
    sources = attributes.get("srcs", [])
    if native.repository_name() != "@" or type(sources) != "list":
        return attributes
    if not [s for s in sources if s.endswith(".cc")] or [s for s in sources if s.endswith(".c")]:
        return attributes

    # GCC 12 takes the header at another -O, but then "#pragma GCC target" brings back the header's.
    if [c for c in attributes.get("copts", []) if c.startswith("-O")]:
        return attributes
    dependencies = attributes.pop("deps", [])
    header = "common"
    if native.package_name().startswith("tests"):
        has_gtest = [d for d in ["@system//:gtest", "@system//:gtest_main"] if d in dependencies]
        header = "tests" if has_gtest else "test_programs"
    used = "@mpiactor//%s:used" % _PLACE
    attributes["copts"] = attributes.pop("copts", []) + select({
        used: ["-include", "%s/%s.h" % (_PLACE, header)],
        "//conditions:default": [],
    })
    attributes["deps"] = dependencies + select({
        used: ["@mpiactor//%s:%s" % (_PLACE, header)],
        "//conditions:default": [],
    })
    return attributes

def cc_library(**attributes):
    native.cc_library(**_with_header(attributes))

def cc_binary(**attributes):
    native.cc_binary(**_with_header(attributes))

def cc_test(**attributes):
    native.cc_test(**_with_header(attributes))

cc_import = native.cc_import
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
