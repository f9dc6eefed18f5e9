"""The numbers of an experiment as CSV, as Markdown and as a picture."""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plot

MEASURES = ("validity", "accuracy", "margin", "likelihood_per_token")
COLUMNS = ("part", "arm", "after", "test", "of", "groups", "decoded", *MEASURES)


def write(settings: dict[str, Any], out: Path) -> None:
    """OUT/results.csv with everything, and OUT/tables.md and OUT/stages.svg of it."""
    lines = [*collect(settings, out)]
    with (out / "results.csv").open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in line.items()} for line in lines)
    (out / "tables.md").write_text("\n".join(tables(lines)), encoding="utf-8")
    progressive = [
        line for line in lines if line["part"] == "methods" and line["arm"] in ("base", "progressive") and line["test"] == "procedures"
    ]
    if any(line["arm"] == "progressive" for line in progressive):
        (out / "stages.svg").write_text(plot.stages(progressive), encoding="utf-8")


def collect(settings: dict[str, Any], out: Path) -> Iterator[dict[str, Any]]:
    """A line for each arm, after each of its phases, on each test set: of all its
    groups, of each stage and of each operator."""
    for part, names in (("methods", settings["methods"]), ("sweep", settings["sweep"]), ("ratios", settings["ratios"])):
        tests = "validation" if part == "sweep" else "procedures-domain"
        base = out / f"base-{tests}.json"
        if names and base.exists():
            yield from _report(part, "base", 0, json.loads(base.read_text(encoding="utf-8")))
        for name in names:
            metrics = out / part / str(name) / "metrics.jsonl"
            if not metrics.exists():
                continue
            for line in map(json.loads, metrics.open(encoding="utf-8")):
                if line["kind"] == "validation":
                    yield from _report(part, str(name), line["phase"], line)


def _report(part: str, arm: str, after: int, report: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for test, whole in report["tests"].items():
        parts = {"all": whole} | {f"stage {s}": r for s, r in whole["stages"].items()} | whole["operators"]
        for of, r in parts.items():
            yield {"part": part, "arm": arm, "after": after, "test": test, "of": of} | {k: r[k] for k in ("groups", "decoded", *MEASURES)}


def tables(lines: list[dict[str, Any]]) -> Iterator[str]:
    for part, test, title in (
        ("methods", "procedures", "Held-out procedures"),
        ("methods", "domain", "Held-out domain"),
        ("sweep", "validation", "Objectives, on validation procedures"),
        ("ratios", "procedures", "Negatives to a positive, on held-out procedures"),
    ):
        found = [line for line in lines if line["part"] == part and line["test"] == test]
        if {line["arm"] for line in found} - {"base"}:
            yield from _by_stage(title, found)
    found = [line for line in lines if line["part"] == "methods" and line["test"] == "procedures"]
    if found:
        yield from _by_operator("Accuracy by operator, on held-out procedures", found)


def _rows(lines: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Arm and phase → of → line; phases where an arm has several."""
    several = {line["arm"] for line in lines if line["after"] > 1}
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for line in lines:
        name = f"{line['arm']}, after stage {line['after']}" if line["arm"] in several else line["arm"]
        rows.setdefault(name, {})[line["of"]] = line
    return rows


def _by_stage(title: str, lines: list[dict[str, Any]]) -> Iterator[str]:
    rows = _rows(lines)
    groups = {of: line["groups"] for of, line in next(iter(rows.values())).items()}
    parts = ["stage 1", "stage 2", "stage 3", "all"]
    yield f"### {title}"
    yield ""
    yield "Greedy validity / contrastive accuracy, in %, of all with 95 % intervals (Wilson); the positive's log-likelihood a token."
    yield ""
    yield "| | " + " | ".join(f"{p} ({groups[p]})" for p in parts) + " | log-likelihood |"
    yield "|---" * (len(parts) + 2) + "|"
    for name, row in rows.items():
        cells = [f"{_percent(row[p]['validity'])} / {_percent(row[p]['accuracy'])}" for p in parts[:-1]]
        whole = row["all"]
        cells.append(f"{_interval(whole['validity'], whole['decoded'])} / {_interval(whole['accuracy'], whole['groups'])}")
        yield f"| {name} | " + " | ".join(cells) + f" | {row['all']['likelihood_per_token']:.2f} |"
    yield ""


def _by_operator(title: str, lines: list[dict[str, Any]]) -> Iterator[str]:
    rows = _rows(lines)
    operators = [of for of in next(iter(rows.values())) if of != "all" and not of.startswith("stage ")]
    yield f"### {title}"
    yield ""
    yield "| | " + " | ".join(operators) + " |"
    yield "|---" * (len(operators) + 1) + "|"
    for name, row in rows.items():
        yield f"| {name} | " + " | ".join(_percent(row[o]["accuracy"]) for o in operators) + " |"
    yield ""


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f}"


def _interval(share: float | None, n: int) -> str:
    """A share of n with where it may lie: Wilson's score interval (1927) at 95 %."""
    if share is None:
        return "–"
    z = 1.96
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{100 * share:.0f} ({100 * max(0.0, low):.0f}–{100 * high:.0f})"
