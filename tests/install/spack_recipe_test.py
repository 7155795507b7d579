#!/usr/bin/env python3
"""The Spack recipe, with a stand-in for Spack: what it declares, and what its installation runs."""

import os
import pathlib
import re
import sys
import tempfile
import types
import unittest

RECIPE = pathlib.Path(sys.argv.pop(1)).resolve()
INSTALLER = pathlib.Path(sys.argv.pop(1)).resolve()

declared = []
run = []


def directive(name):
    return lambda *arguments, **named: declared.append((name, arguments, named))


class Executable:
    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments):
        run.append([self.name, *map(str, arguments)])


class Dependency:
    """A package whose headers and libraries lie below its prefix."""

    def __init__(self, name):
        root = "/spack/" + name
        self.prefix = types.SimpleNamespace(include=root + "/include")
        self.headers = types.SimpleNamespace(directories=[root + "/include"])
        self.libs = types.SimpleNamespace(directories=[root + "/lib"])


class Spec(dict):
    def __missing__(self, name):
        names = [arguments[0] for what, arguments, _ in declared if what == "depends_on"]
        if name not in [re.split("[@+~%]", wanted)[0] for wanted in names]:
            raise KeyError(name + " is not declared as a dependency")
        return Dependency(name)


class Environment(dict):
    def prepend_path(self, variable, folder):
        self[variable] = [folder, *self.get(variable, [])]


def load_recipe():
    stand_in = types.ModuleType("spack.package")
    for name in ("version", "license", "depends_on", "conflicts"):
        setattr(stand_in, name, directive(name))
    stand_in.Package = object
    stand_in.Executable = Executable
    stand_in.join_path = os.path.join
    stand_in.mkdirp = lambda folder: os.makedirs(folder, exist_ok=True)
    stand_in.touch = lambda path: pathlib.Path(path).touch()
    stand_in.symlink = os.symlink
    stand_in.copy = lambda source, target: run.append(["copy", source, target])
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = stand_in
    scope = {"__file__": str(RECIPE), "__name__": "recipe"}
    exec(compile(RECIPE.read_text(), str(RECIPE), "exec"), scope)  # noqa: S102
    return scope["Mpiactor"]


RECIPE_CLASS = load_recipe()


class SpackRecipe(unittest.TestCase):
    def test_declares_what_audits_ask_for(self):
        self.assertGreater(len(RECIPE_CLASS.__doc__), 40)
        self.assertIn(("license", ("MIT",)), [entry[:2] for entry in declared])
        self.assertEqual([{"branch": "main"}], [n for what, _, n in declared if what == "version"])
        checkout = pathlib.Path(RECIPE_CLASS.git.removeprefix("file://"))
        self.assertTrue((checkout / "WORKSPACE").is_file())
        for what, arguments, named in declared:
            if what == "depends_on":
                self.assertRegex(arguments[0], r"^[a-z0-9-]+(@[0-9.:]+)?([+~][a-z]+)*$")
                self.assertIn("type", named)

    def test_installs_what_the_installer_wants(self):
        recipe = RECIPE_CLASS()
        recipe.spec = Spec()
        environment = Environment()
        recipe.setup_build_environment(environment)
        self.assertIn("/spack/hwloc/include", environment["CPATH"])
        self.assertIn("/spack/mpich/lib", environment["LIBRARY_PATH"])
        with tempfile.TemporaryDirectory() as stage:
            recipe.stage = types.SimpleNamespace(path=stage)
            recipe.install(recipe.spec, "/spack/mpiactor")
            mpich = os.path.join(stage, "system/include/x86_64-linux-gnu/mpich")
            self.assertEqual("/spack/mpich/include", os.readlink(mpich))
        _, bazel, install = run
        wanted = re.search(r"kTargets=\(([^)]*)\)", INSTALLER.read_text()).group(1).split()
        self.assertEqual(sorted(wanted), sorted(word for word in bazel if word.startswith("//")))
        self.assertEqual(
            ["tools/install", "--prefix", "/spack/mpiactor", "--build-tree", "bazel-bin"], install
        )


if __name__ == "__main__":
    unittest.main()
