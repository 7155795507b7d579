#!/usr/bin/env python3
"""Tests bench/job_runner.py: its classes to run, as FilesTest."""

import os
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.abspath("bench"))
import job_runner  # noqa: E402

PROGRAMS = ["bench/upa.cc", "bench/matrix/collectives_run.cc", "bench/loop/loop_run.cc"]


class FilesTest(unittest.TestCase):
    def files_of(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a").mkdir()
            for name, text in texts.items():
                (root / "a" / name).write_text(text)
            with unittest.mock.patch.object(job_runner, "ROOT", root):
                return job_runner.files_of("a/main.cc")

    def test_sources_beside_headers_that_others_include_belong_to_it(self):
        self.assertEqual(
            self.files_of({
                "main.cc": '#include <mpi.h>\n\n#include "a/one.h"\n',
                "one.h": '#include <vector>\n',
                "one.cc": '#include "a/one.h"\n#include "a/two.h"\n',
                "two.h": '#include "a/one.h"\n#include "a/alone.h"\n',
                "two.cc": '#include "a/two.h"\n',
                "alone.h": "",
                "other.cc": '#include "a/main.h"\n',
            }),
            ["a/alone.h", "a/main.cc", "a/one.cc", "a/one.h", "a/two.cc", "a/two.h"])

    def test_a_header_that_is_missing_is_named(self):
        with self.assertRaisesRegex(FileNotFoundError, "a/gone.h"):
            self.files_of({"main.cc": '#include "a/gone.h"\n'})

    def test_each_program_has_its_own_files_and_no_other_main_function(self):
        for program in PROGRAMS:
            files = job_runner.files_of(program)
            self.assertIn("bench/clock.cc", files)
            self.assertIn("third_party/cli11/cli.cc", files)
            mains = [name for name in files if "int main(" in (job_runner.ROOT / name).read_text()]
            self.assertEqual(mains, [program])


class PathsTest(unittest.TestCase):
    def test_an_output_that_cannot_be_written_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "file")

            def refused(*locked):
                with unittest.mock.patch.object(os, "access", lambda asked, mode: str(asked) not in map(str, locked)):
                    try:
                        job_runner.check_outputs(argparse.Namespace(json=path), "json")
                    except job_runner.JobError as error:
                        self.assertIn(f"--json: cannot write {path}", str(error))
                        return True
                return False

            self.assertTrue(refused(folder))
            self.assertFalse(refused())
            path.touch()
            self.assertTrue(refused(path))
            self.assertFalse(refused(folder))

    def test_a_cache_that_cannot_be_made_is_named(self):
        with tempfile.NamedTemporaryFile() as file, \
                unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": file.name}):
            with self.assertRaisesRegex(job_runner.JobError, f"{file.name}/mpiactor: Not a directory; XDG_CACHE"):
                job_runner.build_for_openmpi("bench/upa.cc")


class OpenMpiCommandTest(unittest.TestCase):
    def command(self, preload=None, virtual_hosts=None, user=1000):
        with unittest.mock.patch.object(os, "geteuid", return_value=user):
            return " ".join(job_runner.openmpi_command("/program", 4, 2, virtual_hosts, False, preload=preload))

    def test_roots_are_allowed_on_virtual_hosts_too(self):
        self.assertNotIn("--allow-run-as-root", self.command())
        self.assertIn("--allow-run-as-root", self.command(user=0))
        self.assertIn("--allow-run-as-root", self.command(virtual_hosts=2))

    def test_a_library_that_would_not_be_preloaded_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("library.so", "a library.so", "a:library.so"):
                path = pathlib.Path(folder, name)
                with self.assertRaisesRegex(job_runner.JobError, f"{path}: there is no such file; build it"):
                    self.command(preload=path)
                path.touch()
            self.assertIn(f"-x LD_PRELOAD={folder}/library.so", self.command(pathlib.Path(folder, "library.so")))
            for name in ("a library.so", "a:library.so"):
                path = pathlib.Path(folder, name)
                with self.assertRaisesRegex(job_runner.JobError, f"{path}: .* no path with blanks or colons"):
                    self.command(preload=path)


class BuildTest(unittest.TestCase):
    def setUp(self):
        reason = job_runner.missing_openmpi()
        if reason:
            self.skipTest(reason)

    def test_each_program_is_built_once_and_runs(self):
        with tempfile.TemporaryDirectory() as cache, \
                unittest.mock.patch.dict(os.environ, {"XDG_CACHE_HOME": cache}):
            for program in PROGRAMS:
                built = job_runner.build_for_openmpi(program)
                linked = subprocess.run(["ldd", str(built)], capture_output=True, text=True, check=True).stdout
                self.assertIn("libmpi.so.40", linked)
                self.assertEqual(subprocess.run([str(built), "--version-that-is-not"], capture_output=True,
                                                env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1"}).returncode, 2)
                with unittest.mock.patch.object(subprocess, "Popen", side_effect=AssertionError):
                    self.assertEqual(job_runner.build_for_openmpi(program), built)


if __name__ == "__main__":
    unittest.main()
