"""A recipe: every setting of a run, each with its meaning and unit."""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import yaml

from .errors import TrainError, UsageError, one_of, unknown

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Recipe:
    """The settings of a run. The defaults are those of recipes/recommended.yaml."""

    # The objective.
    score: Literal["per_token", "sum"] = "per_token"  # of an answer: its log-likelihood, as a mean over its tokens or as the sum
    temperature: float = 0.1  # τ, by which scores are divided
    weights: tuple[float, ...] = (1 / 3, 1 / 3, 1 / 3)  # α of stage 1, 2 and 3
    contrastive: float = 0.1  # weight of InfoNCE; 0 is supervised fine-tuning on positives
    nll: float = 1.0  # weight of the positive's negative log-likelihood, as a mean over its tokens

    # The schedule.
    schedule: Literal["progressive", "unified", "joint"] = "progressive"
    draw: Literal["equal", "proportional"] = "equal"  # how the stages of a cumulative set are drawn
    epochs: float = 3.0  # over all phases
    phase_shares: tuple[float, ...] = (1.0, 1.0, 1.0)  # how the epochs are split over the phases
    batch_groups: int = 32  # groups a step, over all devices

    # What is trained.
    method: Literal["full", "lora", "qlora"] = "lora"
    lora_rank: int = 32
    lora_alpha: int = 64
    lora_dropout: float = 0.0

    # The optimiser: AdamW.
    learning_rate: float = 2e-4
    warmup: float = 0.03  # share of the steps in which the learning rate rises
    decay: Literal["constant", "cosine"] = "cosine"  # of the learning rate, to a tenth
    weight_decay: float = 0.0
    clip: float = 1.0  # norm to which gradients are cut; 0 for none
    seed: int = 1

    # Memory and speed.
    precision: Literal["auto", "bf16", "fp32"] = "auto"  # auto: bf16 where the device has it
    device: Literal["auto", "cpu"] = "auto"
    max_tokens: int = 8192  # of a prompt with an answer; longer groups are left out and counted
    micro_tokens: int = 16384  # of a forward pass
    shared_prompt: bool = True  # whether a group's prompt is computed once for all its answers
    kernel: Literal["sdpa", "flex"] = "sdpa"  # of shared prompts' attention; flex is FlexAttention
    gradient_checkpointing: bool = True

    # What is watched.
    evaluate_every: int = 50  # steps between evaluations, each with a checkpoint; 0 for none
    validation_groups: int = 96  # of an evaluation, from all stages alike
    decode_groups: int = 48  # of these, how many are answered and judged
    patience: int = 4  # evaluations without a better one until a phase ends, with the best weights; 0 for no end
    stop_below_base: bool = False  # whether to stop where greedy validity falls below the base model's
    tensorboard: bool = False

    def __post_init__(self) -> None:
        if problems := list(self._problems()):
            raise UsageError("recipe: " + "; ".join(problems))

    def _problems(self):
        for name in ("temperature", "epochs", "learning_rate"):
            if not (value := getattr(self, name)) > 0 or math.isinf(value):
                yield f"{name} is {value}, want a number above 0"
        for name in ("contrastive", "nll", "weight_decay", "clip", "lora_dropout"):
            if not (value := getattr(self, name)) >= 0 or math.isinf(value):
                yield f"{name} is {value}, want a number from 0"
        for name in ("evaluate_every", "validation_groups", "decode_groups", "patience"):
            if (value := getattr(self, name)) < 0:
                yield f"{name} is {value}, want a whole number from 0"
        for name in ("batch_groups", "lora_rank", "lora_alpha", "max_tokens", "micro_tokens"):
            if (value := getattr(self, name)) < 1:
                yield f"{name} is {value}, want a whole number from 1"
        for name in ("weights", "phase_shares"):
            values = getattr(self, name)
            if len(values) != 3 or not all(v > 0 for v in values):
                yield f"{name} is {list(values)}, want 3 numbers above 0, one a stage"
        if abs(sum(self.weights) - 1) > 1e-3:
            yield f"weights add up to {sum(self.weights):g}, want 1"
        if not 0 <= self.warmup < 1:
            yield f"warmup is {self.warmup}, want a share from 0 to below 1"
        if self.contrastive == 0 and self.nll == 0:
            yield "contrastive and nll are both 0, want one of them above"
        if self.micro_tokens < self.max_tokens:
            yield f"micro_tokens is {self.micro_tokens}, want at least max_tokens, {self.max_tokens}"
        if self.patience and not self.evaluate_every:
            yield "patience needs evaluations: set evaluate_every, or patience=0"

    def dump(self) -> str:
        """The recipe as YAML, every setting in the order of this class."""
        values = {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}
        return yaml.safe_dump(values, sort_keys=False)


FIELDS = {f.name: f for f in dataclasses.fields(Recipe)}


def load(name: str, settings: list[str]) -> Recipe:
    """Reads a recipe by its name or from a file; settings are key=value and win."""
    values = _read(name)
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: want key=value")
        values[key.strip()] = _parse(value, f"--set {setting}")
    return Recipe(**{k: _typed(k, v) for k, v in values.items()})


def names() -> list[str]:
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def _read(name: str) -> dict[str, Any]:
    path = FOLDER / f"{name}.yaml" if name in names() else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise UsageError(f"recipe {name!r}: {e.strerror or e}; want {one_of(names())} or a file") from e
    values = _parse(text, str(path))
    if not isinstance(values, dict):
        raise UsageError(f"{path}: want a mapping of settings")
    return values


def _parse(text: str, where: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as e:
        raise UsageError(f"{where}: {' '.join(str(e).split())}") from e


def _typed(key: str, value: Any) -> Any:
    """The value as its setting wants it."""
    if key not in FIELDS:
        raise UsageError("recipe: " + unknown("setting", str(key), FIELDS))
    kind = FIELDS[key].type
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise UsageError("recipe: " + unknown(key, str(value), get_args(kind)))
        return value
    try:
        if kind is bool and not isinstance(value, bool) or isinstance(value, bool) and kind is not bool:
            raise ValueError
        if kind is int and int(value) != float(value):
            raise ValueError
        # YAML reads 1e-4, which has no point, as a string.
        return tuple(float(v) for v in value) if get_origin(kind) is tuple else kind(value)
    except (TypeError, ValueError):
        want = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "a list of numbers")
        raise UsageError(f"recipe: {key} is {value!r}, want {want}") from None


def same(path: Path, recipe: Recipe) -> None:
    """Refuses to go on with another recipe than that of the run's folder."""
    before = yaml.safe_load(path.read_text(encoding="utf-8"))
    now = yaml.safe_load(recipe.dump())
    changed = [k for k in now if before.get(k) != now[k]]
    if changed:
        k = changed[0]
        raise TrainError(
            f"{path}: the run was begun with {k} {before.get(k)}, not {now[k]}: go on with the same recipe, or name another folder"
        )
