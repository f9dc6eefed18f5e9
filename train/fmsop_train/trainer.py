"""The loop: phases, steps, forward passes, evaluations."""

import ctypes
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator

from . import checkpoint, objective
from .checkpoint import Position
from .errors import TrainError
from .layout import Layout
from .metrics import Metrics
from .recipe import Recipe
from .schedule import Batches, Phase, deal
from .stop import Stop
from .store import Store
from .watch import Watch


@dataclass
class Trainer:
    recipe: Recipe
    accelerator: Accelerator
    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    store: Store
    layout: Layout
    phases: list[Phase]
    watch: Watch | None  # None where there is nothing to watch
    metrics: Metrics
    stop: Stop
    checkpoints: Path

    def __post_init__(self):
        self.planned = sum(p.steps for p in self.phases)
        self.groups = {i: self.store.of_stage(i) for p in self.phases for i in p.stages}
        self.lengths = [r.lengths for r in self.store.records]
        self.bad: list[int] = []  # groups whose loss was no number

    def run(self, position: Position) -> None:
        """Trains from there to the end."""
        self.model.train()
        if self.watch and not self.metrics.base:
            self.metrics.validation(position.phase, 0, self.watch.evaluate(self.model))
        for phase in self.phases[position.phase - 1 :]:
            if phase.number > position.phase:
                position = Position(phase.number, 0, position.done)
            position = self.phase(phase, position)

    def phase(self, phase: Phase, position: Position) -> Position:
        batches = Batches(phase, self.groups, self.recipe.batch_groups, self.recipe.seed)
        while True:
            if self.due(phase, position):
                position = self.evaluate(position)
            if position.step == phase.steps or self.over(position):
                break
            self.step(phase, position, batches[position.step])
            position = replace(position, step=position.step + 1, done=position.done + 1)
            if self.stopping():
                self.save(position)
                raise TrainError(f"stopped after step {position.done} of {self.planned}: go on with --resume")
        if self.recipe.patience and position.best and position.best_step != position.step:
            checkpoint.load(self.checkpoints / position.best_name, self.model, self.optimizer)
        return position

    def stopping(self) -> bool:
        """Whether any process has been asked to stop: a signal reaches them apart."""
        asked = torch.tensor(float(self.stop.asked()), device=self.accelerator.device)
        return self.accelerator.reduce(asked, "sum").item() > 0

    def due(self, phase: Phase, position: Position) -> bool:
        """Whether an evaluation is, which one who goes on may have to make up for."""
        if position.evaluated == position.step:
            return False
        return position.step == phase.steps or bool(self.recipe.evaluate_every) and position.step % self.recipe.evaluate_every == 0

    def over(self, position: Position) -> bool:
        return 0 < self.recipe.patience <= position.waited

    def evaluate(self, position: Position) -> Position:
        """Evaluates and saves."""
        position = replace(position, evaluated=position.step)
        if not self.watch:
            self.save(position)
            return position
        report = self.watch.evaluate(self.model)
        self.metrics.validation(position.phase, position.done, report)
        worth = worth_of(report)
        if position.best is None or worth > position.best:
            position = replace(position, best=worth, best_step=position.step, waited=0)
        else:
            position = replace(position, waited=position.waited + 1)
        self.save(position)
        if below := self.below_base(report):
            if self.recipe.stop_below_base:
                raise TrainError(f"{below} at step {position.done}: lower learning_rate or raise nll, and begin anew")
            self.metrics.remark(f"{below} at step {position.done}")
        return position

    def below_base(self, report: dict[str, Any]) -> str | None:
        before, now = self.metrics.base["validity"], report["validity"]
        if before is None or now >= before:
            return None
        return f"greedy validity, {now:.3f}, is below the base model's, {before:.3f},"

    def save(self, position: Position) -> None:
        checkpoint.save(self.checkpoints, position, self.model, self.optimizer, self.accelerator.is_main_process)
        self.accelerator.wait_for_everyone()

    def step(self, phase: Phase, position: Position, batch: list[int]) -> None:
        """One step of the optimiser, over a batch of groups."""
        began = time.monotonic()
        rate = self.learning_rate(position)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        parts = self.layout.cut(batch, self.lengths)
        mine = deal(parts, self.accelerator.num_processes, self.accelerator.process_index)
        total = torch.zeros(len(MEASURES) + 2, dtype=torch.float64)
        for k, (groups, counts) in enumerate(mine):
            if k + 1 < len(mine):
                with self.accelerator.no_sync(self.model):
                    total += self.forward(phase, groups, counts)
            else:
                total += self.forward(phase, groups, counts)
        *sums, tokens, padding = self.accelerator.reduce(total.to(self.accelerator.device), "sum").tolist()
        norm = float(self.accelerator.clip_grad_norm_(self.model.parameters(), self.recipe.clip or math.inf))
        measured = MEASURES if self.recipe.contrastive else SUPERVISED
        means = {m: s / len(batch) for m, s in zip(MEASURES, sums) if m in measured}
        if not (math.isfinite(means["loss"]) and math.isfinite(norm)):
            self.refuse(phase, position, batch)
        self.optimizer.step()
        self.optimizer.zero_grad()
        if self.accelerator.device.type == "cpu":
            give_back()
        values = {
            "phase": phase.number,
            **means,
            "gradient_norm": norm,
            "learning_rate": rate,
            "tokens": int(tokens),
            "padding": padding / tokens,
        }
        self.metrics.step(position.done + 1, values, tokens / (time.monotonic() - began))

    def forward(self, phase: Phase, groups: list[int], counts: bool) -> torch.Tensor:
        """Adds the gradients of some of a batch's groups, and returns the sums of
        their MEASURES, the tokens computed and those that were padding. Groups that
        do not count are those of another process."""
        try:
            batch = self.layout.batch([self.store[g] for g in groups])
            sums, tokens = objective.log_likelihoods(batch.logits(self.model), batch.targets, batch.answer, sum(batch.sizes))
            losses = objective.losses(sums, tokens, batch.sizes, self.recipe.score, self.recipe.temperature)
            loss = phase.weight * losses.total(self.recipe.contrastive, self.recipe.nll)
            self.bad += [g for g, finite in zip(groups, loss.isfinite().tolist()) if not finite]
            # Processes' gradients are averaged, and the loss is a mean over the whole batch.
            scale = counts * self.accelerator.num_processes / self.recipe.batch_groups
            self.accelerator.backward(loss.sum() * scale)
        except RuntimeError as e:
            if is_out_of_memory(e):
                raise TrainError(self.too_large(groups)) from e
            raise
        measures = [loss, losses.contrastive, losses.nll, losses.margin > 0, losses.margin]
        sums = [m.detach().double().sum().item() for m in measures]
        return counts * torch.tensor([*sums, batch.tokens, batch.padding], dtype=torch.float64)

    def learning_rate(self, position: Position) -> float:
        """Rises over the first steps, then stays or falls to a tenth. A phase that
        ends early leaves the later ones theirs."""
        r = self.recipe
        at = sum(p.steps for p in self.phases[: position.phase - 1]) + position.step
        rising = r.warmup * self.planned
        if at < rising:
            return r.learning_rate * (at + 1) / (rising + 1)
        if r.decay == "constant":
            return r.learning_rate
        falling = (at - rising) / max(1.0, self.planned - rising)
        return r.learning_rate * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * falling)))

    def refuse(self, phase: Phase, position: Position, batch: list[int]) -> None:
        raise TrainError(
            f"the loss is no number at step {position.done + 1}, in phase {phase.number}, groups {self.ids(self.bad or batch)}: "
            f"lower learning_rate, now {self.recipe.learning_rate:g}, or set precision=fp32, and begin anew"
        )

    def too_large(self, groups: list[int]) -> str:
        tokens = sum(sum(self.lengths[g]) for g in groups)
        lower = ["micro_tokens"] if len(groups) > 1 else ["max_tokens"]
        lower += [] if self.recipe.gradient_checkpointing else ["gradient_checkpointing=true"]
        lower += {"full": ["method=lora"], "lora": ["method=qlora"], "qlora": []}[self.recipe.method]
        return (
            f"out of memory over {tokens} tokens, groups {self.ids(groups)}: lower {', or set '.join(lower)}; "
            f"micro_tokens is {self.recipe.micro_tokens}, max_tokens {self.recipe.max_tokens}"
        )

    def ids(self, groups: list[int]) -> str:
        return ", ".join(self.store.records[g].id for g in groups[:4]) + (f" and {len(groups) - 4} more" if len(groups) > 4 else "")


MEASURES = ("loss", "contrastive", "nll", "accuracy", "margin")  # of a step, means over its groups
SUPERVISED = ("loss", "nll")  # of them, those that need no negatives


def worth_of(report: dict[str, Any]) -> tuple[float, ...]:
    """By which evaluations are compared: right answers first, then right choices."""
    return (report["validity"] or 0.0, report["accuracy"], report["margin"])


def give_back() -> None:
    """Has the C library return freed memory to the system. Passes of ever other
    lengths leave holes in it, several GB of them for a model of 135M parameters."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError):  # another library than glibc
        pass


def is_out_of_memory(e: RuntimeError) -> bool:
    return isinstance(e, torch.OutOfMemoryError) or "can't allocate memory" in str(e)
