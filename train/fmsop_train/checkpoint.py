"""Checkpoints: the trained parameters, the optimiser and where the run stands."""

import os
import random
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict
from torch.distributed.fsdp import FSDPModule

KEPT = 2  # checkpoints, and the best of the phase


@dataclass(frozen=True)
class Position:
    """Where a run stands."""

    phase: int = 1
    step: int = 0  # of the phase, that comes next
    done: int = 0  # steps of the whole run
    best: tuple[float, ...] | None = None  # evaluation of the phase, as Trainer.worth has it
    best_step: int = 0  # of the phase
    waited: int = 0  # evaluations since

    @property
    def name(self) -> str:
        return f"phase-{self.phase}-step-{self.step}"

    @property
    def best_name(self) -> str:
        return f"phase-{self.phase}-step-{self.best_step}"


def save(folder: Path, position: Position, model, optimizer, main: bool) -> None:
    """Writes folder/phase-K-step-N, which appears when it is whole."""
    _shard(model)
    weights, state = get_state_dict(model, optimizer, options=_options())
    if not main:
        return
    made = folder / position.name
    part = folder / (made.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    torch.save({"position": asdict(position), "weights": weights, "optimizer": state, "random": _random_state()}, part / "state.pt")
    shutil.rmtree(made, ignore_errors=True)
    os.replace(part, made)
    for old in found(folder)[:-KEPT]:
        if old.name != position.best_name:
            shutil.rmtree(old)


def found(folder: Path) -> list[Path]:
    """The checkpoints of a run, the oldest first."""
    made = [p for p in folder.glob("phase-*-step-*") if p.suffix != ".part"]
    return sorted(made, key=lambda p: [int(n) for n in p.name.split("-")[1::2]])


def load(path: Path, model, optimizer) -> Position:
    state = torch.load(path / "state.pt", map_location="cpu", weights_only=False)
    _shard(model)
    # Frozen parameters are not in it: the model has been loaded with them.
    set_state_dict(model, optimizer, model_state_dict=state["weights"], optim_state_dict=state["optimizer"], options=_options())
    _set_random_state(state["random"])
    return Position(**state["position"])


def _shard(model) -> None:
    """An evaluation leaves sharded weights whole, which no backward pass shards again,
    and the optimiser knows the shards."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()


def _options() -> StateDictOptions:
    return StateDictOptions(full_state_dict=True, cpu_offload=True, ignore_frozen_params=True, strict=False)


def _random_state() -> dict:
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {"python": random.getstate(), "numpy": np.random.get_state(), "torch": torch.get_rng_state(), "cuda": cuda}


def _set_random_state(state: dict) -> None:
    random.setstate(state["python"])
    np.random.set_state(state["numpy"])
    torch.set_rng_state(state["torch"])
    if state["cuda"]:
        torch.cuda.set_rng_state_all(state["cuda"])
