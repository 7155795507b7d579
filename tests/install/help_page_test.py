#!/usr/bin/env python3
"""What becomes of helps of all kinds: help_page_test.py PATH_OF_HELP_PAGE."""

import importlib.util
import sys
import unittest

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("help_page", sys.argv.pop(1))
help_page = importlib.util.module_from_spec(spec)
spec.loader.exec_module(help_page)


class HelpPageTest(unittest.TestCase):
    def check(self, text, description, synopsis=()):
        self.assertEqual((list(synopsis), description), help_page.body(text))

    def test_usage_becomes_synopsis(self):
        self.check("Does it.\nUsage: tool [-h]\n           FILE\n", [".PP", "Does it."],
                   [".B tool", "[\\-h] FILE"])

    def test_option_with_its_words_beside_and_below(self):
        self.check("  -n N   so many\n         of them\n  --long\n         what it is\n",
                   [".TP", ".B \\-n N", "so many", ".br", "of them", ".TP", ".B \\-\\-long", "what it is"])

    def test_only_lines_that_end_early_are_broken(self):
        full = "x" * 91
        self.check(f"{full}\nword\n{full[:50]}\nword\n",
                   [".PP", full, "word", ".br", "x" * 50, ".br", "word"])

    def test_spaces_at_the_end_of_a_line_mean_nothing(self):
        self.check("  --ppn INT [1] \n         so many \n", [".TP", ".B \\-\\-ppn INT [1]", "so many"])

    def test_commands_stay_as_they_are(self):
        self.check("As here:\n  tool -n 8\n  tool --help\n",
                   [".SS As here", ".PP", ".nf", ".RS", "tool \\-n 8", "tool \\-\\-help", ".RE", ".fi"])

    def test_a_lone_word_is_an_option(self):
        self.check("\n  --help\n\nEnd.\n", [".TP", ".B \\-\\-help", ".PP", "End."])

    def test_no_text_is_taken_for_a_request(self):
        self.check(".so etc\n'\\n", [".PP", "\\&.so etc", ".br", "\\&'\\en"])


if __name__ == "__main__":
    unittest.main()
