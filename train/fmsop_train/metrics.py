"""What a run reports: a line of JSON a step or evaluation, and a progress bar."""

import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm


class Metrics:
    """Writes metrics.jsonl. Lines after the step done, of a run that is gone on
    with, are cut off: they are written again."""

    def __init__(self, path: Path, planned: int, done: int, main: bool, quiet: bool):
        self.main = main
        if not main:
            return
        if path.exists():
            kept = [line for line in path.read_text(encoding="utf-8").splitlines(True) if line.endswith("\n") and json.loads(line)["step"] <= done]
            path.write_text("".join(kept), encoding="utf-8")
        self.file = path.open("a", encoding="utf-8")
        self.bar = tqdm(total=planned, initial=done, unit="step", disable=quiet or not sys.stderr.isatty())

    def step(self, values: dict[str, Any], timing: dict[str, float]) -> None:
        if not self.main:
            return
        self.write({"kind": "train", **values, **{k: round(v, 1) for k, v in timing.items()}})
        self.bar.set_postfix_str(f"phase {values['phase']}, loss {values['loss']:.3f}, right {values['accuracy']:.0%}")
        self.bar.update()

    def write(self, values: dict[str, Any]) -> None:
        if self.main:
            self.file.write(json.dumps(values) + "\n")
            self.file.flush()
