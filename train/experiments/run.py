"""Makes the data and the base of an experiment, runs its arms and writes the
tables. What is in OUT already is taken up.

    python train/experiments/run.py train/experiments/reduced.yaml -o OUT [--only PART]
"""

import argparse
import itertools
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent.parent))

import arms
import base
import data
import table

PARTS = ("data", "base", "methods", "sweep", "ratios", "table")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("experiment", type=Path, help="reduced.yaml, say")
    p.add_argument("-o", "--output", type=Path, required=True, metavar="OUT")
    p.add_argument("--only", choices=PARTS, help="one part, where those before it are there")
    options = p.parse_args()
    settings = yaml.safe_load(options.experiment.read_text(encoding="utf-8"))
    options.output.mkdir(parents=True, exist_ok=True)
    for part in [options.only] if options.only else PARTS:
        globals()[f"make_{part}"](settings, options.output)


def make_data(settings: dict[str, Any], out: Path) -> None:
    """OUT/data to train on, OUT/tests/NAME to test on, and OUT/base with the
    tokenizer in whose tokens lengths are counted."""
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
    tokenizer = base.make_tokenizer(texts, settings["base"]["vocabulary"])
    tokenizer.save_pretrained(out / "base")

    def cut(rows, most: int) -> list[data.Row]:
        return data.select(filter(limits.perhaps, rows), limits, tokenizer, most, seed)

    most = d["test_groups"]
    data.write(out / "data", {"train_3": cut(found, d["train_groups"]), "validation": cut(data.rows(raw, "validation"), most)})
    data.write(out / "tests" / "procedures", {"validation": cut(data.rows(raw, "test"), most)})
    data.write(out / "tests" / "domain", {"validation": cut(data.rows(held_out, "train_3", "validation", "test"), most)})


def make_base(settings: dict[str, Any], out: Path) -> None:
    if (out / "base.jsonl").exists():
        return
    b, seed = settings["base"], settings["seed"]
    tokenizer = base.load_tokenizer(out / "base")
    rows = [json.loads(line) for line in (out / "data" / "train_3.jsonl").open(encoding="utf-8")]
    trained = base.make_model(tokenizer, b["model"], seed)
    sequences = base.blocks(tokenizer, stage_by_stage(rows, seed), b["block"])
    log = [*base.train(trained, sequences, b["batch"], b["steps"], b["learning_rate"])]
    base.save(trained, tokenizer, out / "base")
    (out / "base.jsonl").write_text("".join(json.dumps(line) + "\n" for line in log), encoding="utf-8")


def stage_by_stage(rows: list[data.Row], seed: int) -> Iterator[data.Row]:
    """The rows for ever, a row of each stage in turn."""
    chance = random.Random(seed)
    stages = [[r for r in rows if r["stage"] == s] for s in data.STAGES]
    for i in itertools.count():
        for stage in stages:
            if i % len(stage) == 0:
                chance.shuffle(stage)
            yield stage[i % len(stage)]


def make_methods(settings: dict[str, Any], out: Path) -> None:
    tests = {name: out / "tests" / name for name in data.TESTS}
    for name, own in settings["methods"].items():
        run(settings, out, f"methods/{name}", out / "data", tests, settings["arms"]["groups"], own)


def make_sweep(settings: dict[str, Any], out: Path) -> None:
    tests = {"validation": out / "data"}
    for name, own in settings["sweep"].items():
        run(settings, out, f"sweep/{name}", out / "data", tests, settings["sweep_groups"], {"schedule": "joint", **own})


def make_ratios(settings: dict[str, Any], out: Path) -> None:
    d, seed = settings["data"], settings["seed"]
    limits = data.Limits(settings["ratio_prompt_tokens"], d["answer_tokens"])
    tokenizer = base.load_tokenizer(out / "base")
    most = max(settings["ratios"])
    folder = out / f"ratio-{most}"
    if not folder.exists():
        raw = data.generate(out / f"raw-{most}", d["domains"], d["groups"], most, seed)
        rows = data.select(filter(limits.perhaps, data.rows(raw, "train_3")), limits, tokenizer, d["train_groups"], seed)
        for ratio in settings["ratios"]:
            data.write(out / f"ratio-{ratio}", {"train_3": data.thinned(rows, ratio, seed)})
    tests = {name: out / "tests" / name for name in data.TESTS}
    for ratio in settings["ratios"]:
        run(settings, out, f"ratios/{ratio}", out / f"ratio-{ratio}", tests, settings["ratio_groups"], {"schedule": "joint"})


def run(settings: dict[str, Any], out: Path, name: str, folder: Path, tests: dict[str, Path], groups: int, own: dict[str, Any]) -> None:
    print(name, flush=True)
    common = settings["arms"]["recipe"] | {"seed": settings["seed"]}
    base_report = out / f"base-{'-'.join(tests)}.json"
    arms.run(out / name, out / "base", folder, tests, groups, common | own, base_report)


def make_table(settings: dict[str, Any], out: Path) -> None:
    table.write(settings, out)


if __name__ == "__main__":
    main()
