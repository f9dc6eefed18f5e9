"""How groups are laid out for the model, as the recipe says."""

from dataclasses import dataclass

import torch

from . import padded, schedule, shared_prefix
from .batch import Batch
from .prompt import Encoded
from .recipe import Recipe


@dataclass(frozen=True)
class Layout:
    recipe: Recipe
    device: torch.device

    def batch(self, groups: list[Encoded]) -> Batch:
        if self.recipe.shared_prompt:
            return shared_prefix.pack(groups, self.device, self.recipe.kernel)
        return padded.pad(groups, self.device)

    def cut(self, groups: list[int], lengths) -> list[list[int]]:
        """A batch as forward passes; lengths are of each group's prompt and answers."""
        cut = schedule.packed_batches if self.recipe.shared_prompt else schedule.padded_batches
        return cut(groups, lengths, self.recipe.micro_tokens)
