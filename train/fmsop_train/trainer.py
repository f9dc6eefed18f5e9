"""The loop: phases, steps, forward passes."""

import math
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from accelerate import Accelerator

from . import checkpoint, objective, shared_prefix
from .checkpoint import Position
from .errors import TrainError
from .metrics import Metrics
from .prompt import Encoded
from .recipe import Recipe
from .schedule import Batches, Phase, deal, micro_batches
from .stop import Stop
from .store import Store


@dataclass
class Trainer:
    recipe: Recipe
    accelerator: Accelerator
    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    store: Store
    phases: list[Phase]
    metrics: Metrics
    stop: Stop
    checkpoints: Path

    def __post_init__(self):
        self.planned = sum(p.steps for p in self.phases)
        self.groups = {i: self.store.of_stage(i) for p in self.phases for i in p.stages}
        self.lengths = [r.packed for r in self.store.records]

    def run(self, position: Position) -> None:
        """Trains from there to the end."""
        self.model.train()
        for phase in self.phases[position.phase - 1 :]:
            first = position.step if phase.number == position.phase else 0
            batches = Batches(phase, self.groups, self.recipe.batch_groups, self.recipe.seed)
            for step in range(first, phase.steps):
                self.step(phase, step, batches[step], position.done)
                position = Position(phase.number, step + 1, position.done + 1)
                if self.stop.asked():
                    self.save(position)
                    raise TrainError(f"stopped after step {position.done} of {self.planned}: go on with --resume")
            self.save(position)

    def save(self, position: Position) -> None:
        checkpoint.save(self.checkpoints, position, self.model, self.optimizer, self.accelerator.is_main_process)
        self.accelerator.wait_for_everyone()

    def step(self, phase: Phase, step: int, batch: list[int], done: int) -> None:
        """One step of the optimiser, over a batch of groups."""
        began = time.monotonic()
        rate = self.learning_rate(done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        micro = micro_batches(batch, self.lengths, self.recipe.micro_tokens)
        mine = deal(micro, self.accelerator.num_processes, self.accelerator.process_index)
        total = torch.zeros(5, dtype=torch.float64)  # loss, contrastive, nll, accuracy, margin
        for k, (groups, counts) in enumerate(mine):
            passing = self.accelerator.no_sync(self.model) if k + 1 < len(mine) else self.accelerator.accumulate()
            with passing:
                total += self.forward([self.store[g] for g in groups], phase, float(counts))
        total = self.accelerator.reduce(total.to(self.accelerator.device), "sum").cpu() / len(batch)
        norm = self.accelerator.clip_grad_norm_(self.model.parameters(), self.recipe.clip or math.inf)
        if not (math.isfinite(total[0]) and math.isfinite(norm)):
            self.refuse(phase, step, batch)
        self.optimizer.step()
        self.optimizer.zero_grad()
        names = ("loss", "contrastive", "nll", "accuracy", "margin")
        tokens = sum(self.lengths[g] for g in batch)
        self.metrics.step(
            {"step": done + 1, "phase": phase.number, **dict(zip(names, total.tolist())), "gradient_norm": float(norm), "learning_rate": rate},
            {"tokens_per_second": tokens / (time.monotonic() - began)},
        )

    def forward(self, groups: list[Encoded], phase: Phase, counts: float) -> torch.Tensor:
        """Adds the gradients of some of a batch's groups."""
        packed = shared_prefix.pack(groups, self.accelerator.device)
        logits = self.model(**packed.inputs).logits[0]
        sums, tokens = objective.log_likelihoods(logits, packed.targets, packed.answer, sum(packed.sizes))
        losses = objective.losses(sums, tokens, packed.sizes, self.recipe.score, self.recipe.temperature)
        total = phase.weight * losses.total(self.recipe.contrastive, self.recipe.nll)
        # Processes' gradients are averaged, and the loss is a mean over the whole batch.
        scale = counts * self.accelerator.num_processes / self.recipe.batch_groups
        self.accelerator.backward(total.sum() * scale)
        parts = (total, losses.contrastive, losses.nll, losses.margin > 0, losses.margin)
        return counts * torch.stack([p.detach().double().sum() for p in parts]).cpu()

    def learning_rate(self, done: int) -> float:
        """Rises over the first steps, then stays or falls to a tenth."""
        r = self.recipe
        rising = r.warmup * self.planned
        if done < rising:
            return r.learning_rate * (done + 1) / (rising + 1)
        if r.decay == "constant":
            return r.learning_rate
        at = (done - rising) / max(1.0, self.planned - rising)
        return r.learning_rate * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * at)))

    def refuse(self, phase: Phase, step: int, batch: list[int]) -> None:
        ids = ", ".join(self.store.records[g].id for g in batch[:4]) + (", …" if len(batch) > 4 else "")
        raise TrainError(
            f"the loss is no number at phase {phase.number}, step {step + 1}, groups {ids}: lower learning_rate, now {self.recipe.learning_rate:g}, or set precision=fp32, and --resume"
        )
