#!/usr/bin/env python3
"""No folder of actor/ uses one that stands above it in the page's table: PAGE SOURCE..."""

import re
import sys
import unittest

PAGE, SOURCES = "", []
INCLUDE = re.compile(r'^#include "(actor/[a-z_]+)/', re.MULTILINE)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Folders(unittest.TestCase):
    def test_use_those_below(self):
        order = re.findall(r"^\| `(actor/[a-z_]+)` \|", read(PAGE), re.MULTILINE)
        used = {folder: set() for folder in order}
        for path in SOURCES:
            folder = "/".join(path.split("/")[:2])
            self.assertIn(folder, used, f"{path}: not in the table of {PAGE}")
            used[folder] |= set(INCLUDE.findall(read(path)))
        for place, folder in enumerate(order):
            above = used[folder] & set(order[:place])
            self.assertFalse(above, f"{folder} uses what stands above it")
            self.assertLessEqual(used[folder], set(order))
        self.assertIn("actor/shm", used["actor/container"])


if __name__ == "__main__":
    PAGE, *SOURCES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
