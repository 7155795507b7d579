#!/usr/bin/env python3
"""Every line that the pages quote is printed by the sources: PAGE ERRORS_PAGE SOURCE..."""

import re
import sys
import unittest

PAGES, SOURCES = [], []
SHORTEST_PIECE = 5
STRING = r'"(?:[^"\\\n]|\\.)*"'
# Values that stand between the fixed parts of a message.
PLACEHOLDER = re.compile(r"<[^<>]*>")
FORMAT = re.compile(r"%[0-9]*(?:llu|[sdu])")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "0": "\0"}


def text_of(literal):
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(1)),
                  literal[1:-1])


def messages(source):
    """Fixed parts of what a source can print: its strings, neighbours joined, cut at formats."""
    code = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)
    parts = []
    for run in re.findall(rf"{STRING}(?:\s*{STRING})*", code):
        whole = "".join(text_of(literal) for literal in re.findall(STRING, run))
        parts += FORMAT.split(whole)
    return parts


def quoted(page):
    """Lines in code blocks that begin as the runtime's do, and reasons in the page's tables."""
    inside = False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif inside and line.startswith("mpiactor: "):
            yield line
        elif line.startswith("| `") and not inside:
            yield from re.findall(r"^\| `([^`]*)`", line)


def fixed_parts(line):
    """What of a line must stand in the sources."""
    parts = PLACEHOLDER.split(line.removeprefix("mpiactor: "))
    return [part for part in parts if re.search(r"[A-Za-z]{2}", part)]


class OperationsPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.printed = [part for path in SOURCES for part in messages(open(path).read())]
        cls.page, cls.errors = (open(path).read() for path in PAGES)

    def is_printed(self, part):
        """A part of a string, or strings that are printed one after the other."""
        if any(part in printed for printed in self.printed):
            return True
        return any(any(printed.endswith(part[:length]) for printed in self.printed)
                   and self.is_printed(part[length:])
                   for length in range(SHORTEST_PIECE, len(part) - SHORTEST_PIECE + 1))

    def missing(self, line):
        return [part for part in fixed_parts(line) if not self.is_printed(part)]

    def test_quoted_lines_are_printed(self):
        lines = list(quoted(self.page))
        self.assertGreater(len(lines), 20)
        for line in lines:
            with self.subTest(line):
                self.assertEqual(self.missing(line), [])

    def test_what_is_not_printed_is_found(self):
        self.assertEqual(self.missing("mpiactor: <name> is not a setting; did you mean <setting>?"),
                         [])
        self.assertEqual(self.missing("mpiactor: <name> is no setting; did you mean <setting>?"),
                         [" is no setting; did you mean "])

    def test_whatever_makes_calls_fall_back_is_explained(self):
        """Reasons that ranks give for leaving a communicator to the MPI library."""
        sources = "".join(open(path).read() for path in SOURCES
                          if path.endswith(("/container_create.cc", "/private_comms.cc")))
        reasons = re.findall(rf"\b(?:kNoPlaces =|return refuse\(|SegmentError\()\s*({STRING})", sources)
        self.assertGreater(len(reasons), 5)
        for reason in map(text_of, reasons):
            with self.subTest(reason):
                self.assertIn(f"`{reason}`", self.page)

    def test_lines_of_the_errors_page_are_printed(self):
        lines = re.findall(r"`mpiactor: ([^`]*)`", self.errors)
        self.assertGreater(len(lines), 3)
        for line in lines:
            with self.subTest(line):
                fixed = re.sub(r"MPIACTOR_\w+=\S*|'[^']*'|\brank \d+|\.\.\.|MPI_\w+|\\\||: $", "<>",
                               line)
                fixed = re.sub(r"allowed: .*", "allowed: ", fixed)
                self.assertEqual(self.missing(fixed), [])


if __name__ == "__main__":
    PAGES, SOURCES = sys.argv[1:3], sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
