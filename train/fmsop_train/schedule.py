"""Which groups are drawn when: phases over cumulative sets, their steps and batches.

L_k is an expectation over D^(k) = D_1 ∪ … ∪ D_k (Eq. 5), within which stage i is
drawn with share q_i, n_i/Σn_j in proportion or 1/k equally. A phase minimises some
of the terms of Σ α_k L_k (Eq. 13): progressive one after another, unified all in
one, joint the last alone. Groups are drawn as often as its terms say, so that each
has the same weight, Σ α_k over the phase.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .recipe import Recipe


@dataclass(frozen=True)
class Phase:
    number: int  # from 1
    stages: tuple[int, ...]
    shares: dict[int, float]  # of the groups drawn, by stage; they add up to 1
    weight: float  # of a group's loss
    steps: int


def phases(recipe: Recipe, counts: Mapping[int, int]) -> list[Phase]:
    """counts are the training groups of each stage."""
    stages = sorted(counts)
    if recipe.schedule == "progressive":
        terms = [[k] for k in stages]
    elif recipe.schedule == "unified":
        terms = [stages]
    else:
        terms = [stages[-1:]]
    share = [recipe.phase_shares[t[-1] - 1] for t in terms]
    made = []
    for number, (ks, part) in enumerate(zip(terms, share), 1):
        drawn = dict.fromkeys((i for i in stages if i <= ks[-1]), 0.0)
        for k in ks:
            for i, q in _within(recipe.draw, {i: counts[i] for i in stages if i <= k}).items():
                drawn[i] += recipe.weights[k - 1] * q
        weight = sum(recipe.weights[k - 1] for k in ks)
        groups = sum(counts[i] for i in drawn)
        steps = max(1, round(recipe.epochs * part / sum(share) * groups / recipe.batch_groups))
        made.append(Phase(number, tuple(drawn), {i: d / weight for i, d in drawn.items()}, weight, steps))
    return made


def _within(draw: str, counts: dict[int, int]) -> dict[int, float]:
    if draw == "equal":
        return {i: 1 / len(counts) for i in counts}
    total = sum(counts.values())
    return {i: n / total for i, n in counts.items()}


class Batches:
    """The batches of a phase. Which groups a step has follows from seed, phase and
    step alone. Every stage is gone through in rounds, each a permutation, so that
    no group is drawn a second time before all of its stage are drawn once."""

    def __init__(self, phase: Phase, groups: Mapping[int, list[int]], size: int, seed: int):
        self.phase, self.groups, self.size, self.seed = phase, groups, size, seed
        self.epoch = sum(len(groups[i]) for i in phase.stages)
        self.drawn = _apportion(self.epoch, phase.shares)
        self._made: dict[int, list[int]] = {}

    def __getitem__(self, step: int) -> list[int]:
        """The groups of a step, counted from 0."""
        start = step * self.size
        batch = []
        while len(batch) < self.size:
            epoch, at = divmod(start + len(batch), self.epoch)
            batch += self._of_epoch(epoch)[at : at + self.size - len(batch)]
        return batch

    def _of_epoch(self, epoch: int) -> list[int]:
        if epoch not in self._made:
            drawn = [g for i in self.phase.stages for g in self._of_stage(i, epoch * self.drawn[i], self.drawn[i])]
            order = self._rng(0, epoch).permutation(len(drawn))
            self._made = {k: v for k, v in self._made.items() if k == epoch - 1}
            self._made[epoch] = [drawn[k] for k in order]
        return self._made[epoch]

    def _of_stage(self, stage: int, start: int, n: int) -> list[int]:
        groups = self.groups[stage]
        picked: list[int] = []
        while len(picked) < n:
            turn, at = divmod(start + len(picked), len(groups))
            order = self._rng(stage, turn).permutation(len(groups))
            picked += [groups[k] for k in order[at : at + n - len(picked)]]
        return picked

    def _rng(self, stage: int, turn: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.phase.number, stage, turn])


def _apportion(n: int, shares: dict[int, float]) -> dict[int, int]:
    """n as whole numbers by shares: the largest remainders are rounded up."""
    exact = {i: n * s for i, s in shares.items()}
    parts = {i: int(x) for i, x in exact.items()}
    for i in sorted(exact, key=lambda i: (parts[i] - exact[i], i))[: n - sum(parts.values())]:
        parts[i] += 1
    return parts


WASTE = 0.1  # of padded rows, the share of padding from which a new forward pass begins


def packed_batches(batch: list[int], lengths: Sequence[tuple[int, ...]], budget: int) -> list[list[int]]:
    """A batch cut into forward passes of at most budget tokens, a longer group
    alone; the longest first, so that what does not fit shows at once. lengths are
    of each group's prompt and answers."""
    made: list[list[int]] = []
    room = 0
    for g in sorted(batch, key=lambda g: (-sum(lengths[g]), g)):
        if not made or sum(lengths[g]) > room:
            made.append([])
            room = budget
        made[-1].append(g)
        room -= sum(lengths[g])
    return made


def padded_batches(batch: list[int], lengths: Sequence[tuple[int, ...]], budget: int) -> list[list[int]]:
    """The same where every answer is a row with its prompt, padded to the longest."""

    def rows(g: int) -> list[int]:
        prompt, *answers = lengths[g]
        return [prompt + a for a in answers]

    made: list[list[int]] = []
    count = tokens = longest = 0
    for g in sorted(batch, key=lambda g: (-max(rows(g)), g)):
        n, more = len(rows(g)), sum(rows(g))
        area = (count + n) * longest
        if not made or area > budget or area - tokens - more > WASTE * area:
            made.append([])
            count, tokens, longest = 0, 0, max(rows(g))
        made[-1].append(g)
        count, tokens = count + n, tokens + more
    return made


def deal(items: list, parts: int, part: int) -> list[tuple[object, bool]]:
    """The items of one of several processes, each with whether it counts: all have
    as many, since a forward pass of sharded weights needs them all."""
    rounds = -(-len(items) // parts)
    at = [k * parts + part for k in range(rounds)]
    return [(items[min(k, len(items) - 1)], k < len(items)) for k in at]
