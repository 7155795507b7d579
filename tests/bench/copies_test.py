#!/usr/bin/env python3
"""Runs copies and checks what it prints: COPIES."""

import os
import subprocess
import sys
import unittest

COPIES = os.path.abspath(sys.argv[1])
CORES = sorted(os.sched_getaffinity(0))


def run(*arguments):
    return subprocess.run([COPIES, *arguments], capture_output=True, text=True, timeout=300, check=False)


class CopiesTest(unittest.TestCase):
    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_has_a_row_for_every_size(self):
        done = run("--sizes", "1K,100K", "--writer-core", str(CORES[1]), "--reader-core", str(CORES[0]))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^a line there and the answer back: [1-9]\d* ns$")
        rows = [line.replace("past caches", "past").split() for line in lines[4:6]]
        self.assertEqual([row[0] for row in rows], ["1K", "100K"])
        for _, *times, chosen, ratio in rows:
            writer_ordinary, writer_past, both_ordinary, both_past = map(float, times)
            self.assertLess(0, min(writer_ordinary, writer_past))
            self.assertLess(writer_ordinary, both_ordinary)
            self.assertLess(writer_past, both_past)
            self.assertIn(chosen, ("ordinary", "past"))
            self.assertAlmostEqual(float(ratio), both_ordinary / both_past, delta=0.05 * float(ratio))

    def test_what_cannot_be_printed_is_a_failure(self):
        for arguments in (["--help"], ["--sizes", "1K", "--writer-core", str(CORES[-1]), "--reader-core", str(CORES[0])]):
            if arguments[0] != "--help" and len(CORES) < 2:
                continue
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([COPIES, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=300, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, "^copies: .*No space left on device|^copies: cannot print")

    def test_says_what_is_wrong(self):
        for arguments, code, message in (
                (["--sizes", "512"], 2, "--sizes: 512 is less than 1K"),
                (["--reader-core", "0"], 2, "--reader-core: 0 is the writer's"),
                (["--writer-core", "-1"], 2, "--writer-core: Value -1 not in range"),
                (["--reader-core", "1023"], 1, "copies: core 1023: Invalid argument")):
            done = run(*arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
