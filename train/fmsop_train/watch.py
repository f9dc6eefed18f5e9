"""What is watched while a model learns, on validation groups: whether the answers
that it would give are right, whether it tells right from wrong, and what it loses."""

import dataclasses
import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import yaml
from accelerate import Accelerator
from accelerate.utils import gather_object

from . import objective
from .data import Folder, Group
from .errors import TrainError
from .judge import Judge
from .layout import Layout
from .prompt import ChatTemplate, Encoded
from .recipe import Recipe
from .schedule import deal, padded_batches

DECODED = 4  # times micro_tokens, of the prompts answered at once: nothing is kept for a gradient
REGRESSION = Path(__file__).parent / "regression.yaml"


@dataclass(frozen=True)
class Scored:
    """What the model makes of a group."""

    likelihood: float  # log-likelihood of the positive, over its tokens
    per_token: float
    scores: list[float]  # of the answers, the positive's first

    @property
    def margin(self) -> float:
        return self.scores[0] - max(self.scores[1:])


class Watch:
    def __init__(self, folder: Folder, template: ChatTemplate, recipe: Recipe, accelerator: Accelerator, layout: Layout):
        self.template, self.recipe, self.accelerator, self.layout = template, recipe, accelerator, layout
        self.groups = choose(folder.groups("validation.jsonl.zst"), recipe.validation_groups, self._fits)
        if not self.groups:
            raise TrainError(
                f"{folder.path} has no validation groups of at most max_tokens, {recipe.max_tokens}: "
                "--set evaluate_every=0 --set patience=0 goes without"
            )
        self.encoded = [template.encode(g) for g in self.groups]
        self.swapped = {i: template.encode(s) for i, s in enumerate(swap(self.groups)) if s and self._fits(s)}
        self.decoded = self.groups[: recipe.decode_groups]
        self.judge = Judge() if self.decoded and accelerator.is_main_process else None
        self.regression = [self._plain(i, q) for i, q in enumerate(yaml.safe_load(REGRESSION.read_text(encoding="utf-8")))]

    def _fits(self, group: Group) -> bool:
        return self.template.encode(group).longest <= self.recipe.max_tokens

    def _plain(self, number: int, question: dict[str, str]) -> Encoded:
        prompt, answer = self.template.tokens([self.template.opened(question["ask"]), self.template.closed(question["answer"])])
        return Encoded(f"regression-{number}", 0, prompt, [answer])

    @torch.no_grad()
    def evaluate(self, model: torch.nn.Module) -> dict[str, Any]:
        """The measures of all groups, by stage and by operator, and of the whole."""
        was_training = model.training
        model.eval()
        scored = self._score(model, self.encoded)
        swapped = dict(zip(self.swapped, self._score(model, list(self.swapped.values()))))
        plain = self._score(model, self.regression)
        valid = self._decode(model)
        model.train(was_training)
        report = measure(self.groups, scored, valid, {i: s.margin for i, s in swapped.items()})
        report["regression"] = mean(s.per_token for s in plain)
        return report

    def _score(self, model: torch.nn.Module, groups: list[Encoded]) -> list[Scored]:
        def score(part: list[int]) -> list[Scored]:
            batch = self.layout.batch([groups[i] for i in part])
            sums, counts = objective.log_likelihoods(batch.logits(model), batch.targets, batch.answer, sum(batch.sizes))
            scores = objective.scores(sums, counts, self.recipe.score)
            split = zip(sums.split(batch.sizes), counts.split(batch.sizes), scores.split(batch.sizes))
            return [Scored(s[0].item(), (s[0] / n[0]).item(), c.tolist()) for s, n, c in split]

        lengths = [(len(g.prompt), *map(len, g.answers)) for g in groups]
        return self._dealt(self.layout.cut(list(range(len(groups))), lengths), score)

    def _decode(self, model: torch.nn.Module) -> list[bool] | None:
        """Whether each answer is right that the model gives when it always takes the
        likeliest token; None where none is asked for."""
        if not self.decoded:
            return None
        # Around all of it, so that weights are cast to bfloat16 once, not for every token.
        with self.accelerator.autocast():
            answers = self._dealt(self._by_length(), lambda part: self._answer(model, part, self._most(part)))
        valid = self.judge.valid(self.decoded, answers) if self.judge else []
        return gather_object(valid)

    def _most(self, part: list[int]) -> int:
        """Tokens that an answer may have: some more than the longest right one of the
        same stages."""
        stages = {self.decoded[i].stage for i in part}
        return max(len(e.answers[0]) for g, e in zip(self.decoded, self.encoded) if g.stage in stages) * 5 // 4 + 16

    def _by_length(self) -> list[list[int]]:
        order = sorted(range(len(self.decoded)), key=lambda i: -len(self.encoded[i].prompt))
        lengths = {i: (len(self.encoded[i].prompt), 0) for i in order}
        return padded_batches(order, lengths, DECODED * self.recipe.micro_tokens)

    def _answer(self, model: torch.nn.Module, part: list[int], most: int) -> list[str]:
        tokenizer = self.template.tokenizer
        prompts = [self.encoded[i].prompt for i in part]
        longest = max(map(len, prompts))
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        ids = torch.tensor([[pad] * (longest - len(p)) + p for p in prompts], device=self.accelerator.device)
        mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts], device=self.accelerator.device)
        unwrapped = self.accelerator.unwrap_model(model)
        # A model's own settings may have a penalty, which would change greedy answers.
        greedy = {"do_sample": False, "num_beams": 1, "repetition_penalty": 1.0, "temperature": None, "top_p": None, "top_k": None}
        out = unwrapped.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=most,
            pad_token_id=pad,
            eos_token_id=tokenizer.eos_token_id,
            synced_gpus=self.accelerator.num_processes > 1,
            **greedy,
        )
        return tokenizer.batch_decode(out[:, longest:], skip_special_tokens=True)

    def _dealt(self, parts: list[list[int]], work) -> list:
        """What work makes of every part, over all processes, in the groups' order."""
        made = []
        for part, counts in deal(parts, self.accelerator.num_processes, self.accelerator.process_index):
            results = work(part)
            if counts:
                made += zip(part, results)
        return [r for _, r in sorted(gather_object(made), key=lambda m: m[0])]

    def close(self) -> None:
        if self.judge:
            self.judge.close()


def choose(groups: Iterable[Group], n: int, fits) -> list[Group]:
    """n groups that fit, the stages in turn, those of a stage by the hash of their
    ids: as good as drawn, and the same in every run."""

    def draw(group: Group) -> bytes:
        return hashlib.sha256(group.id.encode()).digest()

    stages: dict[int, list[Group]] = defaultdict(list)
    for g in groups:
        stages[g.stage].append(g)
        if len(stages[g.stage]) > 4 * n:
            stages[g.stage] = heapq.nsmallest(2 * n, stages[g.stage], key=draw)
    drawn = {s: iter([g for g in sorted(stages[s], key=draw)[: 2 * n] if fits(g)]) for s in sorted(stages)}
    chosen: list[Group] = []
    while len(chosen) < n and (row := [g for s in drawn if (g := next(drawn[s], None))]):
        chosen += row
    return chosen[:n]


def swap(groups: list[Group]) -> list[Group | None]:
    """Each group with the context of the next one of its stage that is of another
    procedure; None where there is none."""
    swapped: list[Group | None] = []
    for i, g in enumerate(groups):
        others = (
            o
            for o in groups[i + 1 :] + groups[:i]
            if o.stage == g.stage and (o.domain, o.procedure) != (g.domain, g.procedure) and o.context != g.context
        )
        other = next(others, None)
        swapped.append(dataclasses.replace(g, context=other.context) if other else None)
    return swapped


def measure(groups: list[Group], scored: list[Scored], valid: list[bool] | None, swapped: dict[int, float]) -> dict[str, Any]:
    """Of all groups, of each stage's and of each operator's. An operator's margin and
    accuracy are those against its own negatives; the other measures are of the groups
    that have such negatives."""

    def of(indices: list[int], margin) -> dict[str, Any]:
        margins = [margin(i) for i in indices]
        return {
            "groups": len(indices),
            "validity": mean(valid[i] for i in indices if i < len(valid)) if valid is not None else None,
            "decoded": sum(i < len(valid) for i in indices) if valid is not None else 0,
            "accuracy": mean(m > 0 for m in margins),
            "margin": mean(margins),
            "likelihood": mean(scored[i].likelihood for i in indices),
            "likelihood_per_token": mean(scored[i].per_token for i in indices),
            # How much of the margin the right context makes.
            "context": mean(scored[i].margin - swapped[i] for i in indices if i in swapped),
        }

    def against(operator: str):
        return lambda i: scored[i].scores[0] - max(s for s, o in zip(scored[i].scores[1:], groups[i].operators) if o == operator)

    everything = list(range(len(groups)))
    stages = sorted({g.stage for g in groups})
    operators = sorted({o for g in groups for o in g.operators})
    return {
        **of(everything, lambda i: scored[i].margin),
        "stages": {str(s): of([i for i in everything if groups[i].stage == s], lambda i: scored[i].margin) for s in stages},
        "operators": {o: of([i for i in everything if o in groups[i].operators], against(o)) for o in operators},
    }


def mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None
