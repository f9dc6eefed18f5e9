"""A forward pass over some groups, however they are laid out."""

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Batch:
    inputs: dict[str, Any]  # of the model
    picked: torch.Tensor | None  # which of the logits predict an answer's token, rows laid end to end; None for all
    targets: torch.Tensor  # the tokens that they predict
    answer: torch.Tensor  # the answer that each token belongs to, counted over all groups
    sizes: tuple[int, ...]  # answers of each group; a group's first is the positive
    tokens: int  # that the model computes
    padding: int  # of them, those that are nobody's

    def logits(self, model: torch.nn.Module) -> torch.Tensor:
        """(targets, vocabulary)"""
        logits = model(**self.inputs, use_cache=False).logits.flatten(0, 1)
        return logits if self.picked is None else logits[self.picked]
