#!/usr/bin/env python3
"""The tables of docs/algorithms.md are those of the registry and its plans: PLAN_FACTS PAGE"""

import json
import math
import re
import subprocess
import sys
import unittest

FACTS_PROGRAM, PAGE = "", ""
FEWEST_NODES = 7  # for which the page's formulas hold
COLUMNS = ["name", "rounds", "depth", "sent", "operations", "links at once", "memory", "time",
           "source", "wins"]
LINK_COLUMNS = ["name", "streams", "streams over one link", "bytes over one link"]
FUNCTIONS = {"log": math.log2, "ceil": math.ceil, "floor": math.floor, "min": min, "max": max}
TOKEN = re.compile(r"\s*(?:(\d+|[A-Za-z_]+)|([-+*/(),]))")


def python_of(formula):
    """'2 (N - 1) ceil(log N)' as Python: products are written without a sign, log without ()."""
    tokens, position = [], 0
    formula = formula.strip()
    while position < len(formula):
        match = TOKEN.match(formula, position)
        if not match:
            raise ValueError(f"'{formula}': what is '{formula[position:]}'?")
        tokens.append(match.group(1) or match.group(2))
        position = match.end()
    words, before = [], None
    for token in tokens:
        is_operand = re.match(r"\w|\(", token)
        if is_operand and before and re.match(r"\w|\)", before) and before not in FUNCTIONS:
            words.append("*")
        words.append(f"({token})" if before == "log" and token != "(" else token)
        before = token
    return " ".join(words)


def prime_factors(number):
    factors, factor = [], 2
    while number > 1:
        while number % factor == 0:
            factors.append(factor)
            number //= factor
        factor += 1
    return factors


class Claim:
    """One cell: a formula, 'up to' a formula, or '-'."""

    def __init__(self, cell):
        self.cell = cell
        self.is_bound = cell.startswith("up to ")
        self.is_silent = cell == "-"
        if not self.is_silent:
            self.code = python_of(cell[len("up to "):] if self.is_bound else cell)

    def value(self, case):
        names = {name: case[name] for name in "XYZNMbdr"}
        names["f"] = int(case["N"] & (case["N"] - 1) != 0)
        factors = prime_factors(case["N"])
        names.update(k=len(factors), p=sum(factors) - len(factors))
        return eval(self.code, {"__builtins__": {}, **FUNCTIONS}, names)


def tables(page, columns):
    """(section, cells by column) of all rows of all tables with these columns."""
    section, inside = "", False
    for line in page.splitlines():
        if line.startswith("## "):
            section = line[3:].strip().lower()
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells == columns:
            inside = True
        elif inside and not set(line) <= set("|- "):
            if len(cells) != len(columns):
                raise ValueError(f"{len(cells)} cells, not {len(columns)}: {line}")
            yield section, dict(zip(columns, cells))


def name_and_mark(cell):
    match = re.fullmatch(r"`([^`]+)`( \(torus\))?", cell)
    if not match:
        raise ValueError(f"not a name: {cell}")
    return match.group(1), bool(match.group(2))


class AlgorithmsPage(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        output = subprocess.run([FACTS_PROGRAM], check=True, stdout=subprocess.PIPE).stdout
        cls.registry = {(row["collective"], row["algorithm"]): row for row in json.loads(output)}
        with open(PAGE, encoding="utf-8") as page:
            cls.page = page.read()
        cls.sections = {"broadcast": "bcast", "reduce-scatter": "reduce_scatter"}
        cls.rows = []
        for section, cells in tables(cls.page, COLUMNS):
            name, torus = name_and_mark(cells["name"])
            cls.rows.append(((cls.sections.get(section, section), name), torus, cells))

    def check(self, what, cell, cases, measure):
        """The claim holds in all cases, and a bound is one that some case comes near to."""
        claim = Claim(cell)
        if claim.is_silent:
            return
        self.assertTrue(cases, what)
        nearest = 0
        for case in cases:
            claimed = claim.value(case)
            shape = f"{what}: '{cell}' on {case['X']}x{case['Y']}x{case['Z']}"
            if claim.is_bound:
                self.assertLessEqual(case[measure], claimed * (1 + 1e-9), shape)
                nearest = max(nearest, case[measure] / claimed)
            else:
                self.assertAlmostEqual(case[measure], claimed, msg=shape)
        if claim.is_bound:
            self.assertGreater(nearest, 0.8, f"{what}: '{cell}' is far from what happens")

    def cases_of(self, key, torus):
        cases = self.registry[key]["cases"]
        if torus:
            return [case for case in cases if case["r"] == 3]
        return [case for case in cases if case["N"] >= FEWEST_NODES]

    def test_every_algorithm_has_one_row(self):
        self.assertEqual([key for key, _, _ in self.rows], list(self.registry))

    def test_sources(self):
        for key, _, cells in self.rows:
            self.assertEqual(cells["source"], self.registry[key]["source"], key)

    def test_numbers(self):
        measures = {"rounds": "rounds", "depth": "depth", "sent": "sent",
                    "operations": "operations", "links at once": "streams"}
        for key, torus, cells in self.rows:
            for column, measure in measures.items():
                with self.subTest(row=key, column=column):
                    self.check(f"{key} {column}", cells[column], self.cases_of(key, torus), measure)
            self.assertNotEqual(cells["operations"], "-", key)
            self.assertNotEqual(cells["sent"], "-", key)

    def test_plans_have_the_streams_that_the_registry_says(self):
        for key, row in self.registry.items():
            for case in row["cases"]:
                self.assertEqual(case["streams"], case["streams_in_plans"], (key, case))
                self.assertLessEqual(case["streams"], row["full_streams"], (key, case))

    def test_memory(self):
        for key, torus, cells in self.rows:
            for case in self.cases_of(key, torus):
                memory = cells["memory"]
                if case["packed_ahead"]:
                    # The slots, and what is packed on either side.
                    needed = case["N"] * case["b"] + 2 * case["packed_ahead"]
                    self.assertLessEqual(needed, Claim(memory).value(case), key)
                elif case["reduces_ahead"]:
                    self.assertIn("w m", memory, key)
                else:
                    self.assertEqual(memory, "0", key)

    def test_operation_size(self):
        stated = re.search(r"An operation takes (\d+) bytes", self.page)
        self.assertIsNotNone(stated)
        for row in self.registry.values():
            self.assertEqual(int(stated.group(1)), row["operation_bytes"])

    def test_links(self):
        measures = {"streams": "streams", "streams over one link": "link_streams",
                    "bytes over one link": "link_bytes"}
        named = set()
        for _, cells in tables(self.page, LINK_COLUMNS):
            key = tuple(name_and_mark(cells["name"])[0].split())
            named.add(key)
            for column, measure in measures.items():
                with self.subTest(row=key, column=column):
                    self.check(f"{key} {column}", cells[column], self.registry[key]["cases"],
                               measure)
        on_a_torus = {key for key, torus, _ in self.rows if torus}
        self.assertEqual(named, on_a_torus)


class Formulas(unittest.TestCase):
    def test_notation(self):
        case = dict(X=4, Y=3, Z=5, N=60, M=120, b=2, d=3, r=2)
        for formula, value in (("2 (N - 1)", 118), ("4/3 M", 160), ("2 M (1 - 1/N)", 236),
                               ("ceil(log N) M", 720), ("up to f M/(d + r)", 24),
                               ("min(4, d + r)", 4), ("k + 10 p", 84), ("floor(log X) + floor(log Y)", 3)):
            self.assertAlmostEqual(Claim(formula).value(case), value, msg=formula)
        self.assertTrue(Claim("-").is_silent)
        with self.assertRaises(ValueError):
            Claim("2 N!")


if __name__ == "__main__":
    FACTS_PROGRAM, PAGE = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
