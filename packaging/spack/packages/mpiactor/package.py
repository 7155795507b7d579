# Builds the tree that this recipe lies in: docs/install.md says how to use it.
import os

from spack.package import *

_CHECKOUT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))

# Installed by tools/install; other targets are tests and sample applications.
_TARGETS = [
    "//actor:all",
    "//actor/polite:libmpiactor_polite.so",
    "//bench/matrix:collectives_run",
    "//sim:replay",
    "//tools:mpiactor-info",
]


class Mpiactor(Package):
    """Library that is preloaded under MPI programs and makes their collectives fast when ranks do
    not arrive together: the first rank of a node to arrive leads it."""

    git = "file://" + _CHECKOUT

    version("main", branch="main")

    license("MIT", checked_by="the mpiactor authors")

    # With the Java rules of Debian's package, which WORKSPACE names.
    depends_on("bazel@4", type="build")
    depends_on("binutils", type="build")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3:", type="build")
    # The static library of the switch between stacks.
    depends_on("boost@1.74:+context", type="build")
    depends_on("hwloc@2:", type=("build", "link"))
    depends_on("mpich@4:", type=("build", "link", "run"))
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("tbb", type=("build", "link"))

    conflicts("%gcc@:11", msg="C++20 as GCC 12 knows it")

    _headers = ("boost", "cli11", "fmt", "hwloc", "nlohmann-json", "tbb")
    _libraries = ("boost", "hwloc", "mpich", "tbb")

    def setup_build_environment(self, env):
        for name in self._headers:
            for folder in self.spec[name].headers.directories:
                env.prepend_path("CPATH", folder)
        for name in self._libraries:
            for folder in self.spec[name].libs.directories:
                env.prepend_path("LIBRARY_PATH", folder)

    def install(self, spec, prefix):
        # What WORKSPACE takes from /usr: the same, with Spack's MPICH.
        system = join_path(self.stage.path, "system")
        mkdirp(join_path(system, "include", "x86_64-linux-gnu"))
        touch(join_path(system, "WORKSPACE"))
        copy(join_path("third_party", "system.BUILD"), join_path(system, "BUILD.bazel"))
        symlink(
            spec["mpich"].prefix.include, join_path(system, "include", "x86_64-linux-gnu", "mpich")
        )
        bazel = Executable("bazel")
        startup = ["--output_user_root=" + join_path(self.stage.path, "bazel"), "--batch"]
        options = ["--override_repository=system=" + system]
        options += ["--action_env=CPATH", "--action_env=LIBRARY_PATH"]
        for name in ("hwloc", "tbb"):
            for folder in spec[name].libs.directories:
                options.append("--linkopt=-Wl,-rpath," + folder)
        bazel(*startup, "build", *options, *_TARGETS)
        Executable("tools/install")("--prefix", prefix, "--build-tree", "bazel-bin")
