"""Every answer behind a prompt of its own, a row each, padded: what any model can do."""

import torch

from .batch import Batch
from .prompt import Encoded


def pad(groups: list[Encoded], device: torch.device) -> Batch:
    rows = [(g.prompt, a) for g in groups for a in g.answers]
    longest = max(len(p) + len(a) for p, a in rows)
    first = min(len(p) for p, _ in rows) - 1  # the first position that predicts an answer's token
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    picked, targets, owners = [], [], []
    for i, (p, a) in enumerate(rows):
        n = len(p) + len(a)
        ids[i, :n] = torch.tensor(p + a)
        mask[i, :n] = 1
        start = i * (longest - first) - first
        picked += range(start + len(p) - 1, start + n - 1)
        targets += a
        owners += [i] * len(a)
    inputs = {"input_ids": ids.to(device), "attention_mask": mask.to(device), "logits_to_keep": torch.arange(first, longest, device=device)}

    def tensor(values):
        return torch.tensor(values, device=device)

    return Batch(
        inputs, tensor(picked), tensor(targets), tensor(owners), tuple(len(g.answers) for g in groups), ids.numel(), int((mask == 0).sum())
    )
