"""The arms of an experiment: runs of the trainer from one base on the same groups,
each tested on what none of them was trained on."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
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
    """The recipe of an arm that sees so many groups, split equally over its phases."""
    sets = [sum(n for stage, n in counts.items() if stage <= k) for k in sorted(counts)]
    phases = len(sets) if settings.get("schedule") == "progressive" else 1
    shares = [1 / n for n in sets] if phases > 1 else [1.0] * 3
    epochs = groups * sum(shares) / phases if phases > 1 else groups / sets[-1]
    fixed = {"epochs": epochs, "phase_shares": shares, "evaluate_every": 0, "patience": 0}
    return Recipe(**{k: recipe._typed(k, v) for k, v in {**settings, **fixed}.items()})


@dataclass(frozen=True)
class Arm:
    out: Path
    base: Path
    data: Path
    tests: dict[str, Path]
    groups: int  # that it sees, counting a group as often as it is drawn
    settings: dict[str, Any]  # of the recipe, and dpo_beta

    @property
    def base_report(self) -> Path:
        return self.out.parent.parent / f"base-{'-'.join(self.tests)}.json"


class Setting:
    """What an arm's training and the base's evaluation have in common."""

    def __init__(self, arm: Arm, recipe: Recipe):
        self.template = ChatTemplate(model.load_tokenizer(arm.base), str(arm.base))
        self.accelerator = Accelerator(mixed_precision="bf16" if recipe.precision == "bf16" else "no", cpu=not torch.cuda.is_available())
        set_seed(recipe.seed)
        self.layout = Layout(recipe, self.accelerator.device)
        watches = {name: Watch(open_folder(path), self.template, recipe, self.accelerator, self.layout) for name, path in arm.tests.items()}
        for w in watches.values():
            w.swapped = {}  # no table asks for the context's share, which is half the work
        self.tests = Tests(watches)

    def model(self, arm: Arm, recipe: Recipe) -> torch.nn.Module:
        return model.load(arm.base, recipe, recipe.precision == "bf16", self.accelerator.device)


def teach(weights: Path, data: Path, out: Path, groups: int, settings: dict[str, Any]) -> Path:
    """Weights trained on so many groups, by the trainer as its users call it."""
    folder = open_folder(data)
    counts = Counter(group.stage for group in folder.groups(folder.train))
    out.parent.mkdir(parents=True, exist_ok=True)
    resolved = out.with_suffix(".yaml")
    resolved.write_text(resolve(settings, counts, groups).dump(), encoding="utf-8")
    command = [sys.executable, "-m", "fmsop_train", data, "--model", weights, "-o", out, "--recipe", resolved]
    subprocess.run([*map(str, command), *(["--resume"] if out.exists() else [])], check=True, cwd=Path(__file__).parent.parent)
    return out / "model"


def evaluate_base(arm: Arm) -> None:
    """Makes the report of the base, unless it is there: it is that of many arms."""
    if arm.base_report.exists():
        return
    settings = {k: v for k, v in arm.settings.items() if k != "dpo_beta"}
    r = resolve(settings, dict.fromkeys((1, 2, 3), 1), arm.groups)
    setting = Setting(arm, r)
    report = setting.tests.evaluate(setting.accelerator.prepare(setting.model(arm, r)))
    setting.tests.close()
    arm.base_report.write_text(json.dumps(report), encoding="utf-8")


def run(arm: Arm) -> str:
    """Runs an arm, unless it is there, and returns its name. What it is worth after
    each phase is in its metrics.jsonl."""
    name = f"{arm.out.parent.name}/{arm.out.name}"
    if arm.out.exists():
        return name
    settings = dict(arm.settings)
    beta = settings.pop("dpo_beta", None)
    part = arm.out.with_name(arm.out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    folder = open_folder(arm.data)
    template = ChatTemplate(model.load_tokenizer(arm.base), str(arm.base))
    groups = store.build(folder, template, settings["max_tokens"], part / "train.bin")
    if settings.get("contrastive") == 0 and beta is None:
        # The same groups as the others see, less the wrong answers, of which nothing is made.
        groups.records = [replace(r, lengths=r.lengths[:2]) for r in groups.records]
    counts = {i: len(groups.of_stage(i)) for i in folder.stages}
    r = resolve(settings, counts, arm.groups)
    (part / "recipe.yaml").write_text(r.dump(), encoding="utf-8")

    setting = Setting(arm, r)
    trained = setting.model(arm, r)
    optimizer = torch.optim.AdamW(trained.parameters(), lr=r.learning_rate, weight_decay=r.weight_decay)
    trained, optimizer = setting.accelerator.prepare(trained, optimizer)
    plan = schedule.phases(r, counts)
    metrics = Metrics(part / "metrics.jsonl", sum(p.steps for p in plan), 0, True, True, False)
    metrics.base = json.loads(arm.base_report.read_text(encoding="utf-8"))
    made = (r, setting.accelerator, trained, optimizer, groups, setting.layout, plan, setting.tests, metrics, Stop(), part / "checkpoints")
    trainer = Trainer(*made) if beta is None else DPO(*made, reference=setting.model(arm, r).eval(), beta=beta)
    try:
        trainer.run(Position())
    finally:
        metrics.close()
        setting.tests.close()
    shutil.rmtree(part / "checkpoints")
    (part / "train.bin").unlink()
    part.rename(arm.out)
    return name
