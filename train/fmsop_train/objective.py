"""The objective: scores of answers, InfoNCE over a group's, and the positive's likelihood.

s(q,c,a)  the log-likelihood of the answer's tokens, as a sum or as a mean
ℓ         −log softmax(s/τ) at the positive             (Eq. 7 of FM SO.P)
L_k       the mean of ℓ over the groups of D^(k), its weight α_k  (Eq. 13)
"""

import math
from dataclasses import dataclass

import torch
from torch.utils.checkpoint import checkpoint

CHUNK = 1024  # tokens whose log-softmax over the vocabulary is in memory at once


def log_likelihoods(logits: torch.Tensor, targets: torch.Tensor, answer: torch.Tensor, answers: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums of the targets' log-likelihoods by answer, and the answers' tokens.
    logits is (tokens, vocabulary), targets and answer (tokens,)."""
    tokens = torch.cat([checkpoint(_of_tokens, *part, use_reentrant=False) for part in zip(logits.split(CHUNK), targets.split(CHUNK))])
    sums = tokens.new_zeros(answers).index_add(0, answer, tokens)
    counts = tokens.new_zeros(answers).index_add(0, answer, torch.ones_like(tokens))
    return sums, counts


def _of_tokens(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    # In float: a sum over an answer's tokens would not survive bfloat16.
    return -torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")


def info_nce(scores: torch.Tensor, temperature: float) -> torch.Tensor:
    """−log softmax(scores/τ)[0] of one group, whose positive comes first."""
    scaled = scores / temperature
    return torch.logsumexp(scaled, 0) - scaled[0]


@dataclass(frozen=True)
class Losses:
    """Of some groups, a number for each of them."""

    contrastive: torch.Tensor
    nll: torch.Tensor  # of the positive, a mean over its tokens
    margin: torch.Tensor  # the positive's score less that of the best negative; NaN without one

    def total(self, contrastive: float, nll: float) -> torch.Tensor:
        return contrastive * self.contrastive + nll * self.nll


def scores(sums: torch.Tensor, counts: torch.Tensor, score: str) -> torch.Tensor:
    """s(q,c,a) of every answer from its log-likelihood and its tokens."""
    return sums / counts if score == "per_token" else sums


def losses(sums: torch.Tensor, counts: torch.Tensor, sizes: tuple[int, ...], score: str, temperature: float) -> Losses:
    """sizes are the answers of each group; the positive is a group's first."""
    groups = scores(sums, counts, score).split(sizes)
    return Losses(
        contrastive=torch.stack([info_nce(s, temperature) for s in groups]),
        nll=torch.stack([-m[0] for m in (sums / counts).split(sizes)]),
        margin=torch.stack([s[0] - s[1:].max() if len(s) > 1 else s[0] * math.nan for s in groups]),
    )
