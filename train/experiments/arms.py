"""The arms of an experiment: runs of the trainer from one base on the same groups,
each tested on what none of them was trained on."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

from fmsop_train import model, objective, recipe, schedule, store
from fmsop_train.checkpoint import Position
from fmsop_train.data import open_folder
from fmsop_train.layout import Layout
from fmsop_train.metrics import Metrics
from fmsop_train.prompt import ChatTemplate
from fmsop_train.recipe import Recipe
from fmsop_train.stop import Stop
from fmsop_train.trainer import Trainer
from fmsop_train.watch import Watch


class Tests:
    """Several folders' validation groups, watched as one: the trainer compares by
    the first."""

    def __init__(self, watches: dict[str, Watch]):
        self.watches = watches

    def evaluate(self, trained: torch.nn.Module) -> dict[str, Any]:
        reports = {name: w.evaluate(trained) for name, w in self.watches.items()}
        first = next(iter(reports.values()))
        return {k: first[k] for k in ("validity", "accuracy", "margin")} | {"tests": reports}

    def close(self) -> None:
        for w in self.watches.values():
            w.close()


@dataclass
class DPO(Trainer):
    """Direct preference optimisation (Rafailov et al. 2023, Eq. 7) of the positive
    over each negative of a group, against the base model; the mean over pairs."""

    reference: torch.nn.Module | None = None
    beta: float = 0.1

    def forward(self, phase, groups, counts):
        batch = self.layout.batch([self.store[g] for g in groups])
        answers = sum(batch.sizes)
        sums, tokens = objective.log_likelihoods(batch.logits(self.model), batch.targets, batch.answer, answers)
        with torch.no_grad():
            before, _ = objective.log_likelihoods(batch.logits(self.reference), batch.targets, batch.answer, answers)
        gains = (self.beta * (sums - before)).split(batch.sizes)
        loss = torch.stack([torch.nn.functional.softplus(g[1:] - g[0]).mean() for g in gains])
        self.accelerator.backward(loss.sum() * counts / self.recipe.batch_groups)
        likelihood = objective.losses(sums, tokens, batch.sizes, self.recipe.score, self.recipe.temperature)
        measures = [loss, likelihood.contrastive, likelihood.nll, likelihood.margin > 0, likelihood.margin]
        totals = [m.detach().double().sum().item() for m in measures]
        return counts * torch.tensor([*totals, batch.tokens, batch.padding], dtype=torch.float64)


def resolve(settings: dict[str, Any], counts: dict[int, int], groups: int) -> Recipe:
    """The recipe of an arm that sees so many groups, as many in each phase."""
    sets = [sum(n for stage, n in counts.items() if stage <= k) for k in sorted(counts)]
    phases = len(sets) if settings.get("schedule") == "progressive" else 1
    shares = [1 / n for n in sets] if phases > 1 else [1.0] * 3
    epochs = groups * sum(shares) / phases if phases > 1 else groups / sets[-1]
    fixed = {"epochs": epochs, "phase_shares": shares, "evaluate_every": 0, "patience": 0}
    return Recipe(**{k: recipe._typed(k, v) for k, v in {**settings, **fixed}.items()})


def run(out: Path, base: Path, data: Path, tests: dict[str, Path], groups: int, settings: dict[str, Any], base_report: Path) -> None:
    """Runs an arm, unless it is there. Its report after each phase is in
    metrics.jsonl; the base's own is made once for all arms."""
    if (out / "metrics.jsonl").exists():
        return
    settings = dict(settings)
    beta = settings.pop("dpo_beta", None)
    folder = open_folder(data)
    template = ChatTemplate(model.load_tokenizer(base), str(base))
    rough = resolve(settings, {i: 1 for i in folder.stages}, groups)
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    trained_on = store.build(folder, template, rough.max_tokens, part / "train.bin")
    r = resolve(settings, {i: len(trained_on.of_stage(i)) for i in folder.stages}, groups)
    (part / "recipe.yaml").write_text(r.dump(), encoding="utf-8")

    accelerator = Accelerator(mixed_precision="bf16" if r.precision == "bf16" else "no", cpu=not torch.cuda.is_available())
    set_seed(r.seed)
    layout = Layout(r, accelerator.device)
    watching = Tests({name: Watch(open_folder(path), template, r, accelerator, layout) for name, path in tests.items()})
    trained = model.load(base, r, r.precision == "bf16", accelerator.device)
    optimizer = torch.optim.AdamW(trained.parameters(), lr=r.learning_rate, weight_decay=r.weight_decay)
    trained, optimizer = accelerator.prepare(trained, optimizer)
    plan = schedule.phases(r, {i: len(trained_on.of_stage(i)) for i in folder.stages})
    metrics = Metrics(part / "metrics.jsonl", sum(p.steps for p in plan), 0, True, False, False)
    if not base_report.exists():
        base_report.write_text(json.dumps(watching.evaluate(trained)), encoding="utf-8")
    metrics.base = json.loads(base_report.read_text(encoding="utf-8"))
    made = (r, accelerator, trained, optimizer, trained_on, layout, plan, watching, metrics, Stop(), part / "checkpoints")
    if beta is None:
        trainer = Trainer(*made)
    else:
        trainer = DPO(*made, reference=model.load(base, r, r.precision == "bf16", accelerator.device).eval(), beta=beta)
    try:
        trainer.run(Position())
    finally:
        metrics.close()
        watching.close()
    for leftover in ("checkpoints", "train.bin"):
        target = part / leftover
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    part.rename(out)
