"""Makes the data and the base of an experiment, runs its arms and writes the
tables. What is in OUT already is taken up.

    python train/experiments/run.py train/experiments/reduced.yaml -o OUT --jobs 2
"""

import argparse
import itertools
import json
import multiprocessing
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import torch
import yaml

sys.path.insert(0, str(Path(__file__).parent.parent))

import arms
import base
import data
import table


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("experiment", type=Path, help="reduced.yaml, say")
    p.add_argument("-o", "--output", type=Path, required=True, metavar="OUT")
    p.add_argument("--model", type=Path, metavar="FOLDER", help="weights to begin with, instead of a small model from scratch")
    p.add_argument("--jobs", type=int, default=1, help="arms at a time")
    options = p.parse_args()
    settings = yaml.safe_load(options.experiment.read_text(encoding="utf-8"))
    out: Path = options.output.resolve()
    weights = options.model and options.model.resolve()
    out.mkdir(parents=True, exist_ok=True)
    make_data(settings, out, weights)
    torch.set_num_threads(options.jobs)  # the base is alone; arms take what OMP_NUM_THREADS says
    make_base(settings, out, weights)
    make_arms(settings, out, options.jobs)
    table.write(settings, out)


def make_data(settings: dict[str, Any], out: Path, weights: Path | None) -> None:
    """OUT/data to train on, OUT/tests/NAME to test on. Lengths are counted in the
    tokens of the weights, or of a tokenizer that is made here, in OUT/base."""
    if (out / "tests").exists():
        return
    d, seed = settings["data"], settings["seed"]
    raw = data.generate(out / "raw", d["domains"], d["groups"], 4, seed)
    held_out = data.generate(out / "raw-held-out", [d["held_out_domain"]], d["held_out_groups"], 4, seed)
    limits = data.Limits(d["prompt_tokens"], d["answer_tokens"])
    texts: list[str] = []
    found = []
    for i, row in enumerate(data.rows(raw, "train_3")):
        if i % 16 == 0:
            texts += (data.prompt(row), row["positive"]["text"])
        if limits.perhaps(row):
            found.append(row)
    if weights:
        tokenizer = base.load_tokenizer(weights)
    else:
        tokenizer = base.make_tokenizer(texts, settings["base"]["vocabulary"])
        tokenizer.save_pretrained(out / "base")

    def cut(rows, most: int) -> list[data.Row]:
        return data.select(filter(limits.perhaps, rows), limits, tokenizer, most, seed)

    most = d["test_groups"]
    data.write(out / "data", {"train_3": cut(found, d["train_groups"]), "validation": cut(data.rows(raw, "validation"), most)})
    data.write(out / "tests" / "procedures", {"validation": cut(data.rows(raw, "test"), most)})
    if settings["ratios"]:
        make_ratios(settings, out, tokenizer)
    data.write(out / "tests" / "domain", {"validation": cut(data.rows(held_out, "train_3", "validation", "test"), most)})


def make_ratios(settings: dict[str, Any], out: Path, tokenizer) -> None:
    """OUT/ratio-M: the same groups with M negatives. Contexts that give as many as
    20 wrong answers are longer, so that these are groups of their own."""
    d, seed = settings["data"], settings["seed"]
    most = max(settings["ratios"])
    limits = data.Limits(settings["ratio_data"]["prompt_tokens"], d["answer_tokens"])
    raw = data.generate(out / f"raw-{most}", d["domains"], settings["ratio_data"]["groups"], most, seed)
    rows = data.select(filter(limits.perhaps, data.rows(raw, "train_3")), limits, tokenizer, d["train_groups"], seed)
    for ratio in settings["ratios"]:
        data.write(out / f"ratio-{ratio}", {"train_3": data.thinned(rows, ratio, seed)})


def make_base(settings: dict[str, Any], out: Path, weights: Path | None) -> None:
    """OUT/base: the weights, as they are or trained on right answers first, or a
    model from scratch."""
    if (out / "base" / "config.json").exists():
        return
    b, seed = settings.get("base"), settings["seed"]
    if weights and not b:
        (out / "base").symlink_to(weights)
    elif weights:
        recipe = settings["arms"]["recipe"] | b["recipe"] | {"seed": seed}
        model = arms.teach(weights, out / "data", out / "base-run", b["groups"], recipe)
        (out / "base").symlink_to(model)
    else:
        rows = [json.loads(line) for line in (out / "data" / "train_3.jsonl").open(encoding="utf-8")]
        tokenizer = base.load_tokenizer(out / "base")
        trained = base.make_model(tokenizer, b["model"], seed)
        sequences = base.blocks(tokenizer, stage_by_stage(rows, seed), b["block"])
        with (out / "base.jsonl").open("w", encoding="utf-8") as log:
            for line in base.train(trained, sequences, b["batch"], b["steps"], b["learning_rate"]):
                log.write(json.dumps(line) + "\n")
                log.flush()
        base.save(trained, tokenizer, out / "base")


def stage_by_stage(rows: list[data.Row], seed: int) -> Iterator[data.Row]:
    """The rows for ever, a row of each stage in turn."""
    chance = random.Random(seed)
    stages = [[r for r in rows if r["stage"] == s] for s in data.STAGES]
    for i in itertools.count():
        for stage in stages:
            if i % len(stage) == 0:
                chance.shuffle(stage)
            yield stage[i % len(stage)]


def make_arms(settings: dict[str, Any], out: Path, jobs: int) -> None:
    found = [*arms_of(settings, out)]
    # A process each, so that no arm has to do with what another has left of the memory.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        list(pool.map(arms.evaluate_base, {arm.base_report: arm for arm in found}.values()))
        for name in pool.map(arms.run, found):
            print(name, flush=True)


def arms_of(settings: dict[str, Any], out: Path) -> Iterator[arms.Arm]:
    common = settings["arms"]["recipe"] | {"seed": settings["seed"]}
    groups = settings["arms"]["groups"]
    tests = {name: out / "tests" / name for name in data.TESTS}

    def arm(part: str, name: Any, folder: str, tests: dict[str, Path], own: dict[str, Any]) -> arms.Arm:
        settings = {"groups": groups[part]} | common | own
        return arms.Arm(out / part / str(name), out / "base", out / folder, tests, settings.pop("groups"), settings)

    for name, own in settings["methods"].items():
        yield arm("methods", name, "data", tests, own)
    for name, own in settings["sweep"].items():
        yield arm("sweep", name, "data", {"validation": out / "data"}, {"schedule": "joint", **own})
    for ratio in sorted(settings["ratios"], reverse=True):  # the longest is not left for the end
        yield arm("ratios", ratio, f"ratio-{ratio}", tests, {"schedule": "joint"})


if __name__ == "__main__":
    main()
