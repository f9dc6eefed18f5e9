"""Training groups as tokens on disk, so that memory does not grow with the data."""

import os
from array import array
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from .data import Folder
from .errors import TrainError
from .prompt import ChatTemplate, Encoded


@dataclass(frozen=True)
class Record:
    """Where a group lies in the file of tokens: its prompt, then its answers."""

    id: str
    stage: int
    offset: int  # in tokens
    lengths: tuple[int, ...]  # of the prompt and of the answers

    @property
    def packed(self) -> int:
        return sum(self.lengths)


@dataclass
class Store:
    path: Path
    records: list[Record] = field(default_factory=list)
    left_out: dict[int, int] = field(default_factory=dict)  # groups over the limit, by stage
    longest: tuple[int, str] = (0, "")  # tokens and id of the longest of them

    def of_stage(self, stage: int) -> list[int]:
        return [i for i, r in enumerate(self.records) if r.stage == stage]

    def __getitem__(self, i: int) -> Encoded:
        r = self.records[i]
        tokens = np.fromfile(self.path, dtype=np.int32, count=r.packed, offset=4 * r.offset).tolist()
        parts, start = [], 0
        for n in r.lengths:
            parts.append(tokens[start : start + n])
            start += n
        return Encoded(r.id, r.stage, parts[0], parts[1:])


def build(folder: Folder, template: ChatTemplate, max_tokens: int, path: Path, negatives: bool = True) -> Store:
    """Writes the tokens of all training groups but those over max_tokens, without
    the negatives where nothing is made of them."""
    store = Store(path)
    offset = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as f:
        for group in folder.groups(folder.train):
            g = template.encode(group if negatives else replace(group, negatives=()))
            if g.longest > max_tokens:
                store.left_out[g.stage] = store.left_out.get(g.stage, 0) + 1
                store.longest = max(store.longest, (g.longest, g.id))
                continue
            lengths = (len(g.prompt), *map(len, g.answers))
            for ids in (g.prompt, *g.answers):
                array("i", ids).tofile(f)
            store.records.append(Record(g.id, g.stage, offset, lengths))
            offset += sum(lengths)
    os.replace(part, path)
    for stage in folder.stages:
        if not any(r.stage == stage for r in store.records):
            raise TrainError(_none(folder, store, stage, max_tokens))
    return store


def _none(folder: Folder, store: Store, stage: int, max_tokens: int) -> str:
    where = folder.path / folder.train
    if n := store.left_out.get(stage):
        tokens, longest = store.longest
        return (
            f"{where}: all {n} groups of stage {stage} have more than max_tokens, {max_tokens} "
            f"(the longest, {longest}, has {tokens}): raise it with --set max_tokens=N"
        )
    return f"{where} has no groups of stage {stage}, though manifest.json names the stage: fmsop generate makes them"
