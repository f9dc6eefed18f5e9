"""The data of an experiment: what fmsop generate makes, cut to what a small model
can read."""

import hashlib
import io
import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import zstandard

Row = dict[str, Any]

STAGES = (1, 2, 3)
TESTS = ("procedures", "domain")  # files of rows that are never trained on: of held-out procedures, of a held-out domain


def generate(folder: Path, domains: list[str], groups: int, ratio: int, seed: int) -> Path:
    """A dataset folder of these domains, unless it is there."""
    if not folder.exists():
        settings = {"-o": folder, "--groups": groups, "--ratio": ",".join([str(ratio)] * 3), "--split-by": "procedure", "--seed": seed}
        flags = [str(word) for setting in settings.items() for word in setting]
        subprocess.run([os.environ.get("FMSOP", "fmsop"), "generate", *domains, *flags, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return folder


def rows(folder: Path, *names: str) -> Iterator[Row]:
    """The rows of some files of a folder."""
    for name in names:
        with (folder / f"{name}.jsonl.zst").open("rb") as f:
            for line in io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True)):
                yield json.loads(line)


def prompt(row: Row) -> str:
    return f"{row['context']}\n\n{row['query']}" if row["context"] else row["query"]


class Limits:
    """What is short enough: by stage a prompt's tokens, and an answer's."""

    def __init__(self, prompt_tokens: dict[int, int], answer_tokens: int):
        self.prompts, self.answers = prompt_tokens, answer_tokens

    def perhaps(self, row: Row) -> bool:
        """Whether it is worth counting: a token has five characters at most, nearly always."""
        return len(prompt(row)) <= 5 * self.prompts[row["stage"]]

    def allow(self, row: Row, tokenizer) -> bool:
        length = lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])
        return length(prompt(row)) <= self.prompts[row["stage"]] and length(row["positive"]["text"]) <= self.answers


def select(found: Iterable[Row], limits: Limits, tokenizer, most: int, seed: int) -> list[Row]:
    """Rows that are short enough, at most so many a stage, in an order of their
    own: generate goes through the procedures one by one."""
    order = sorted(found, key=lambda row: hashlib.sha256(f"{seed}/{row['id']}".encode()).digest())
    taken: list[Row] = []
    counts: Counter[int] = Counter()
    for row in order:
        if counts[row["stage"]] < most and limits.allow(row, tokenizer):
            taken.append(row)
            counts[row["stage"]] += 1
    return taken


def thinned(found: list[Row], ratio: int, seed: int) -> list[Row]:
    """The same groups with fewer negatives each."""
    return [{**row, "negatives": random.Random(f"{seed}/{row['id']}").sample(row["negatives"], ratio)} for row in found]


def write(folder: Path, files: dict[str, list[Row]]) -> None:
    """A dataset folder as the trainer reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    described = {}
    for name, lines in files.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in lines).encode()
        (folder / f"{name}.jsonl").write_bytes(text)
        described[f"{name}.jsonl.zst"] = {"rows": len(lines), "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    manifest = {"version": 1, "stages": list(STAGES), "files": described}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
