"""What is watched, against numbers worked out by hand."""

import os
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

import tiny

from fmsop_train.data import Group
from fmsop_train.errors import TrainError
from fmsop_train.judge import Judge
from fmsop_train.watch import Scored, choose, measure, swap


def group(id="g", stage=1, procedure="p", context="c", operators=("substitution", "substitution"), reference='{"answers": ["right"]}'):
    return Group(id, stage, "definition", "bank", procedure, context, "?", "right", ("wrong",) * len(operators), operators, reference)


class Measures(unittest.TestCase):
    groups = [
        group(stage=2, operators=("order", "omit", "omit")),
        group(stage=2, operators=("order",)),
        group(stage=3, operators=("cycle", "edge")),
    ]
    scored = [Scored(-4.0, -1.0, [-1.0, -2.0, -0.5, -3.0]), Scored(-2.0, -0.5, [-0.5, -2.5]), Scored(-9.0, -3.0, [-3.0, -3.0, -5.0])]

    def setUp(self):
        self.report = measure(self.groups, self.scored, [True, False], {0: -2.5, 2: 0.0})

    def test_of_all(self):
        r = self.report
        # margins are −0.5, 2 and 0, which is no right choice
        self.assertEqual((r["groups"], r["accuracy"], r["margin"]), (3, 1 / 3, 0.5))
        self.assertEqual((r["likelihood"], r["likelihood_per_token"]), (-5.0, -1.5))
        self.assertEqual((r["validity"], r["decoded"]), (0.5, 2))
        # −0.5 − −2.5 and 0 − 0
        self.assertEqual(r["context"], 1.0)

    def test_by_stage(self):
        self.assertEqual((self.report["stages"]["2"]["margin"], self.report["stages"]["2"]["validity"]), (0.75, 0.5))
        self.assertEqual((self.report["stages"]["3"]["margin"], self.report["stages"]["3"]["validity"]), (0.0, None))

    def test_an_operator_is_held_against_its_own_negatives(self):
        o = self.report["operators"]
        self.assertEqual((o["order"]["groups"], o["order"]["accuracy"], o["order"]["margin"]), (2, 1.0, 1.5))
        self.assertEqual((o["omit"]["groups"], o["omit"]["accuracy"], o["omit"]["margin"]), (1, 0.0, -0.5))
        self.assertEqual((o["edge"]["accuracy"], o["cycle"]["accuracy"]), (1.0, 0.0))

    def test_without_answers(self):
        self.assertEqual(
            (measure(self.groups, self.scored, None, {})["validity"], measure(self.groups, self.scored, None, {})["context"]), (None, None)
        )


class Choice(unittest.TestCase):
    def test_stages_in_turn_and_the_same_in_any_order(self):
        groups = [group(f"{s}-{k}", stage=s) for s in (1, 2) for k in range(50)] + [group("3-0", stage=3)]
        chosen = choose(groups, 7, lambda g: g.id != "2-3")
        self.assertEqual([g.stage for g in chosen], [1, 2, 3, 1, 2, 1, 2])
        self.assertEqual(chosen, choose(reversed(groups), 7, lambda g: g.id != "2-3"))
        self.assertNotEqual([g.id for g in chosen if g.stage == 1], ["1-0", "1-1", "1-2"])

    def test_those_that_do_not_fit_are_left_out(self):
        self.assertEqual(choose([group("a"), group("b")], 7, lambda g: g.id == "b"), [group("b")])

    def test_a_context_is_swapped_for_that_of_another_procedure_of_the_stage(self):
        a, b = group("a", procedure="p", context="1"), group("b", procedure="p", context="2")
        c, d = group("c", procedure="q", context="3"), group("d", stage=2, procedure="q", context="4")
        self.assertEqual(swap([a, b, c, d]), [replace(a, context="3"), replace(b, context="3"), replace(c, context="1"), None])


class Verdicts(unittest.TestCase):
    def test_verdicts_come_in_the_order_of_the_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            tiny.use_judge(self, Path(folder))
            judge = Judge()
            answers = ["right", "wrong", "right"] * 2000  # more than pipes hold
            self.assertEqual(judge.valid([group()] * len(answers), answers), [True, False, True] * 2000)
            with self.assertRaisesRegex(TrainError, "fmsop check: row g: "):
                judge.valid([group(reference="{}")], ["right"])
            judge.close()

    def test_no_program(self):
        self.enterContext(unittest.mock.patch.dict(os.environ, FMSOP="/no/fmsop"))
        with self.assertRaisesRegex(TrainError, "/no/fmsop: .*: set FMSOP to the program.*decode_groups=0"):
            Judge()


if __name__ == "__main__":
    unittest.main()
