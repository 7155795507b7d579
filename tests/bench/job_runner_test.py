#!/usr/bin/env python3
"""Tests what bench/job_runner.py builds for Open MPI: FilesTest|BuildTest."""

import os
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
    unittest.main(argv=[sys.argv[0], sys.argv[1]])
