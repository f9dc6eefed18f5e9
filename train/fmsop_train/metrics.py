"""What a run reports: a line of JSON a step or evaluation, and a progress bar."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from .errors import TrainError


class Metrics:
    """Writes metrics.jsonl. Where a run is gone on with, lines after the step done
    are cut off, since they are written again."""

    def __init__(self, path: Path, planned: int, done: int, main: bool, quiet: bool, tensorboard: bool):
        self.main, self.quiet = main, quiet
        self.base: dict[str, Any] | None = None  # the evaluation before the first step
        kept = [line for line in _lines(path) if line["step"] <= done]
        for line in kept:
            if line["kind"] == "validation" and line["step"] == 0:
                self.base = line
        if main:
            # At once, since other processes may be reading it.
            part = path.with_suffix(".part")
            part.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
            os.replace(part, path)
            self.file = path.open("a", encoding="utf-8")
            self.board = summary_writer()(path.parent / "tensorboard") if tensorboard else None
            self.bar = tqdm(total=planned, initial=done, unit="step", disable=quiet or not sys.stderr.isatty())

    def step(self, step: int, values: dict[str, Any], tokens_per_second: float) -> None:
        self._write({"kind": "train", "step": step, **values, "tokens_per_second": round(tokens_per_second, 1)})
        if self.main:
            right = f", right {values['accuracy']:.0%}" if "accuracy" in values else ""
            self.bar.set_postfix_str(f"phase {values['phase']}, loss {values['loss']:.3f}{right}")
            self.bar.update()

    def validation(self, phase: int, step: int, report: dict[str, Any]) -> None:
        if step == 0:
            self.base = report
        self._write({"kind": "validation", "step": step, "phase": phase, **report})
        if self.main and not self.bar.disable:
            validity = "" if report["validity"] is None else f"greedy validity {report['validity']:.3f}, "
            self.bar.write(f"step {step}: {validity}accuracy {report['accuracy']:.3f}, margin {report['margin']:.3f}", file=sys.stderr)

    def remark(self, text: str) -> None:
        if self.main and not self.quiet:
            self.bar.write(f"note: {text}", file=sys.stderr)

    def close(self) -> None:
        if self.main:
            self.bar.close()
            self.file.close()
            if self.board:
                self.board.close()

    def _write(self, values: dict[str, Any]) -> None:
        if not self.main:
            return
        self.file.write(json.dumps(values) + "\n")
        self.file.flush()
        if self.board:
            for name, value in values.items():
                if isinstance(value, (int, float)) and name not in ("step", "phase"):
                    self.board.add_scalar(f"{values['kind']}/{name}", value, values["step"])


def _lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines; one that a kill has cut off is none."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines(True) if line.endswith("\n")]


def summary_writer():
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as e:
        raise TrainError("tensorboard=true needs TensorBoard: pip install tensorboard") from e
    return SummaryWriter
