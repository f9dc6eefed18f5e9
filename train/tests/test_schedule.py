"""Phases, cumulative sets, batches and forward passes."""

import unittest
from collections import Counter

from fmsop_train.recipe import Recipe
from fmsop_train.schedule import Batches, deal, packed_batches, padded_batches, phases

COUNTS = {1: 10, 2: 20, 3: 30}
GROUPS = {1: list(range(10)), 2: list(range(10, 30)), 3: list(range(30, 60))}


def plan(counts=COUNTS, **settings):
    return phases(Recipe(**{"draw": "proportional", "batch_groups": 10, **settings}), counts)


class Phases(unittest.TestCase):
    def near(self, got: dict, want: dict):
        self.assertEqual(got.keys(), want.keys())
        for k, value in want.items():
            self.assertAlmostEqual(got[k], value)

    def test_progressive_goes_through_the_cumulative_sets(self):
        p = plan(epochs=3)
        self.assertEqual([x.stages for x in p], [(1,), (1, 2), (1, 2, 3)])
        self.assertEqual([x.steps for x in p], [1, 3, 6])
        self.near(p[1].shares, {1: 1 / 3, 2: 2 / 3})
        self.near(p[2].shares, {1: 1 / 6, 2: 1 / 3, 3: 1 / 2})

    def test_equal_draws(self):
        self.near(plan(draw="equal")[2].shares, {1: 1 / 3, 2: 1 / 3, 3: 1 / 3})

    def test_weights_are_those_of_the_terms(self):
        weights = (0.5, 0.3, 0.2)
        self.assertEqual([x.weight for x in plan(weights=weights)], list(weights))
        self.assertAlmostEqual(plan(weights=weights, schedule="unified")[0].weight, 1)
        self.assertEqual([x.weight for x in plan(weights=weights, schedule="joint")], [0.2])

    def test_unified_is_equation_13(self):
        # Stage 1 has a share of all three expectations, stage 3 of the last alone:
        # ⅓(1 + 10/30 + 10/60), ⅓(20/30 + 20/60), ⅓·30/60
        [p] = plan(schedule="unified", epochs=3)
        self.near(p.shares, {1: 1 / 2, 2: 1 / 3, 3: 1 / 6})
        self.assertEqual(p.steps, 18)
        [p] = plan(schedule="unified", weights=(0.2, 0.2, 0.6))
        self.near(p.shares, {1: 0.2 + 0.2 / 3 + 0.1, 2: 0.4 / 3 + 0.2, 3: 0.3})

    def test_joint_is_the_whole_set(self):
        [p] = plan(schedule="joint", epochs=2)
        self.near(p.shares, {1: 1 / 6, 2: 1 / 3, 3: 1 / 2})
        self.assertEqual(p.steps, 12)

    def test_epochs_are_split(self):
        self.assertEqual([x.steps for x in plan(epochs=4, phase_shares=(2, 1, 1))], [2, 3, 6])

    def test_stages_that_are_there(self):
        self.assertEqual([x.stages for x in plan({2: 5, 3: 5})], [(2,), (2, 3)])


class Draws(unittest.TestCase):
    def batches(self, phase=2, size=10, seed=1, **settings):
        return Batches(plan(**settings)[phase], GROUPS, size, seed)

    def test_an_epoch_in_proportion_has_every_group_once(self):
        b = self.batches()
        first = [g for step in range(6) for g in b[step]]
        self.assertEqual(sorted(first), list(range(60)))
        second = [g for step in range(6, 12) for g in b[step]]
        self.assertEqual(sorted(second), list(range(60)))
        self.assertNotEqual(first, second)

    def test_equal_draws_go_through_a_stage_before_they_repeat(self):
        b = self.batches(draw="equal", size=60)
        count = Counter(b[0])
        self.assertEqual([sum(count[g] for g in GROUPS[s]) for s in (1, 2, 3)], [20, 20, 20])
        self.assertTrue(all(count[g] == 2 for g in GROUPS[1]))
        self.assertTrue(all(count[g] == 1 for g in GROUPS[2]))
        both = count + Counter(b[1])
        self.assertLessEqual(max(both[g] for g in GROUPS[3]) - min(both[g] for g in GROUPS[3]), 1)

    def test_a_step_follows_from_its_number(self):
        b = self.batches(size=7)
        in_order = [b[k] for k in range(20)]
        self.assertEqual(self.batches(size=7)[13], in_order[13])
        self.assertEqual(b[2], in_order[2])
        self.assertNotEqual(self.batches(size=7, seed=2)[13], in_order[13])
        self.assertNotEqual(Batches(plan()[1], GROUPS, 7, 1)[0], Batches(plan()[2], GROUPS, 7, 1)[0])

    def test_phase_one_has_stage_one_alone(self):
        self.assertLessEqual(set(self.batches(phase=0)[0]), set(GROUPS[1]))

    def test_a_batch_larger_than_the_set(self):
        self.assertEqual(Counter(self.batches(size=120)[0]), Counter(list(range(60)) * 2))


class ForwardPasses(unittest.TestCase):
    lengths = [(100, 10, 10), (50, 5, 5), (400, 20), (90, 30, 10), (20, 1), (100, 1, 1)]

    def test_packed(self):
        made = packed_batches(list(range(6)), self.lengths, 200)
        self.assertEqual(made, [[2], [3], [0], [5, 1, 4]])

    def test_padded_wastes_a_tenth_at_most(self):
        lengths = [(100 + 13 * (k % 17), 20, 20 + k % 3) for k in range(80)]
        made = padded_batches(list(range(80)), lengths, 4000)
        self.assertEqual(sorted(g for part in made for g in part), list(range(80)))
        for part in made:
            rows = [p + a for g in part for p, *answers in [lengths[g]] for a in answers]
            area = len(rows) * max(rows)
            self.assertLessEqual(area, 4000)
            self.assertLessEqual(1 - sum(rows) / area, 0.1)
        self.assertLess(len(made), 20)

    def test_deal_gives_all_as_many(self):
        self.assertEqual(
            [deal("abcde", 2, k) for k in (0, 1)], [[("a", True), ("c", True), ("e", True)], [("b", True), ("d", True), ("e", False)]]
        )
        self.assertEqual(deal("ab", 1, 0), [("a", True), ("b", True)])


if __name__ == "__main__":
    unittest.main()
