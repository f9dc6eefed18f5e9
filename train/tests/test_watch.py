"""What is watched, against numbers worked out by hand."""

import os
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

import tiny
import torch
from accelerate import Accelerator

from fmsop_train.data import Group
from fmsop_train.errors import TrainError
from fmsop_train.judge import Judge
from fmsop_train.layout import Layout
from fmsop_train.prompt import ChatTemplate
from fmsop_train.recipe import Recipe
from fmsop_train.watch import Scored, Watch, choose, measure, swap


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


class Answers(unittest.TestCase):
    def test_one_that_does_not_end_is_cut_by_the_longest_of_its_stage(self):
        tiny.use_judge(self, Path(tiny.enter(self, tempfile.TemporaryDirectory())))
        lengths = {"1-a": 19, "1-b": 27, "2-a": 99}  # in bytes, which are tokens, and one more ends a turn
        # Questions of very different lengths are not asked together.
        groups = [replace(group(id, stage=int(id[0]), context="c" * n), positive="x" * n) for id, n in lengths.items()]
        folder = unittest.mock.Mock(groups=lambda file: iter(groups))
        recipe = Recipe(precision="fp32")
        watch = Watch(folder, ChatTemplate(tiny.tokenizer(), "tiny"), recipe, Accelerator(cpu=True), Layout(recipe, torch.device("cpu")))
        self.addCleanup(watch.close)
        judge = tiny.enter(self, unittest.mock.patch.object(watch.judge, "valid", return_value=[]))

        class Endless(torch.nn.Module):
            def generate(self, input_ids, max_new_tokens, **settings):
                return torch.cat([input_ids, torch.full((len(input_ids), max_new_tokens), 42)], dim=1)

        watch._decode(Endless())
        asked, answers = judge.call_args.args
        # a quarter and 16 tokens more than the longest
        self.assertEqual({g.id: len(a) for g, a in zip(asked, answers)}, {"1-a": 51, "1-b": 51, "2-a": 141})


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
        tiny.enter(self, unittest.mock.patch.dict(os.environ, FMSOP="/no/fmsop"))
        with self.assertRaisesRegex(TrainError, "/no/fmsop: .*: set FMSOP to the program.*decode_groups=0"):
            Judge()


if __name__ == "__main__":
    unittest.main()
