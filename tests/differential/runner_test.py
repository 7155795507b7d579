#!/usr/bin/env python3
"""Cases as lines and back, layouts, and narrowing of a failure whose cause is known."""

import json
import pathlib
import random
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cases  # noqa: E402
import files  # noqa: E402
import narrow  # noqa: E402


class FakeRunner:
    """Fails where steps 17 and 31 are there, on three ranks or more, and with static leaders."""

    def run(self, case, patience_s=0):
        steps = case.keep if case.keep is not None else range(case.steps)
        fails = {17, 31} <= set(steps) and case.ranks >= 3 and case.settings.get("MPIACTOR_LEADER") == "static"
        return types.SimpleNamespace(passed=not fails)


class RunnerTest(unittest.TestCase):
    def test_a_line_is_the_case(self):
        case = cases.Case(ranks=4, seed=12, steps=40, keep=[3, 7, 8, 9], threads=2, without=("sleep", "types"),
                          wrong_sizes=True, settings={"MPIACTOR_NODES": "0,1,0,1"})
        self.assertEqual(case.to_line(), "ranks=4 seed=12 steps=40 keep=3,7-9 threads=2 without=sleep,types "
                                         "wrong_sizes=1 MPIACTOR_NODES=0,1,0,1")
        self.assertEqual(cases.Case.from_line(case.to_line() + "  # why"), case)
        self.assertIsNone(cases.Case.from_line("# a comment\n"))

    def test_layouts_fit(self):
        for seed in range(500):
            draw = random.Random(seed)
            ranks = draw.randrange(2, 17)
            layout = cases.random_layout(ranks, draw)
            if "," in layout:
                nodes = [int(node) for node in layout.split(",")]
                self.assertEqual(len(nodes), ranks)
                self.assertEqual(set(nodes), set(range(max(nodes) + 1)))
            elif layout.isdigit():
                self.assertEqual(ranks % int(layout), 0)

    def test_first_ranks_of_nodes(self):
        for layout, first in {"": [0], "2": [0, 4], "ppn:1": list(range(8)), "cyclic:3": [0, 1, 2], "3": [0, 3, 6],
                              "0,0,1,0,2,1,2,2": [0, 2, 4]}.items():
            self.assertEqual(files.first_ranks(layout, 8), first)

    def test_every_node_has_a_place_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(500):
                draw = random.Random(seed)
                ranks = draw.randrange(2, 17)
                layout = cases.random_layout(ranks, draw)
                torus = files.random_torus(layout, ranks, draw)
                self.assertNotIn(" ", torus)
                if not torus.startswith(files.PLACES):
                    continue
                path = files.written(torus, folder).removeprefix("file:")
                lines = [line.split() for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
                hosts = [f"host{rank}" for rank in files.first_ranks(layout, ranks)]
                self.assertEqual([line[0] for line in lines], hosts)
                self.assertEqual(len({tuple(line[1:]) for line in lines}), len(hosts))

    def test_a_torus_is_of_the_layout_that_is_set(self):
        for seed in range(200):
            case = cases.random_case(seed, {5}, 0, (), {"MPIACTOR_NODES": "ppn:1", "MPIACTOR_LEADER": "static"})
            self.assertEqual((case.settings["MPIACTOR_NODES"], case.settings["MPIACTOR_LEADER"]), ("ppn:1", "static"))
            torus = case.settings.get("MPIACTOR_TORUS", "")
            if torus.startswith(files.PLACES):
                self.assertEqual(torus.count("@"), 5)

    def test_tables_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(50):
                table = files.random_table(random.Random(seed))
                self.assertNotIn(" ", table)
                path = pathlib.Path(files.written(table, folder))
                self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["format"], "mpiactor-tuning-1")

    def test_narrowing_leaves_what_is_needed(self):
        case = cases.Case(ranks=8, seed=1, settings={"MPIACTOR_LEADER": "static", "MPIACTOR_NODES": "4",
                                                     "MPIACTOR_PUSH": "0"})
        narrowed = narrow.Narrowing(FakeRunner(), 60, 2, lambda text: None).narrow(case, 50)
        self.assertEqual((narrowed.keep, narrowed.steps, narrowed.ranks), ([17, 31], 32, 3))
        self.assertEqual({n: v for n, v in narrowed.settings.items() if v}, {"MPIACTOR_LEADER": "static"})

    def test_what_does_not_fail_again_is_not_narrowed(self):
        case = cases.Case(ranks=2, seed=1)
        self.assertIsNone(narrow.Narrowing(FakeRunner(), 60, 2, lambda text: None).narrow(case, 50))


if __name__ == "__main__":
    unittest.main()
