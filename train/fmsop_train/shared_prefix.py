"""A group's prompt computed once for all its answers, with exact gradients.

Groups are laid one behind the other in one sequence without padding, each as its
prompt and its answers:

    prompt answer₀ answer₁ … │ prompt answer₀ …

An answer's tokens attend to the prompt and to themselves, and their positions go
on from the prompt's end, so that every answer has the log-likelihoods that it has
behind its prompt alone. All but attention is per token and needs no change.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from .prompt import Encoded

NAME = "fmsop_shared_prefix"  # of the attention, for from_pretrained


@dataclass(frozen=True)
class Span:
    """A group within the sequence."""

    start: int
    prompt: int  # tokens
    end: int
    mask: torch.Tensor  # what the answers' tokens attend to: (answers' tokens, prompt's and answers' tokens)


@dataclass(frozen=True)
class Packed:
    """Groups as the input of one forward pass, and what it has to predict."""

    input_ids: torch.Tensor  # (1, tokens)
    position_ids: torch.Tensor
    spans: tuple[Span, ...]
    sources: torch.Tensor  # positions that predict an answer's token; the prompt's last one once for each answer
    targets: torch.Tensor  # the tokens
    answer: torch.Tensor  # the answer that each belongs to, counted over all groups
    sizes: tuple[int, ...]  # answers of each group

    @property
    def inputs(self) -> dict:
        return {"input_ids": self.input_ids, "position_ids": self.position_ids, "spans": self.spans, "logits_to_keep": self.sources, "use_cache": False}


def pack(groups: list[Encoded], device: torch.device) -> Packed:
    ids, positions, spans, sources, targets, owners = [], [], [], [], [], []
    answers = 0
    for g in groups:
        start = len(ids)
        ids += g.prompt
        positions += range(len(g.prompt))
        last = len(ids) - 1
        for a in g.answers:
            sources += [last, *range(len(ids), len(ids) + len(a) - 1)]
            targets += a
            owners += [answers] * len(a)
            positions += range(len(g.prompt), len(g.prompt) + len(a))
            ids += a
            answers += 1
        spans.append(Span(start, len(g.prompt), len(ids), _mask(g, device)))

    def tensor(values):
        return torch.tensor(values, device=device)

    sizes = tuple(len(g.answers) for g in groups)
    return Packed(tensor([ids]), tensor([positions]), tuple(spans), tensor(sources), tensor(targets), tensor(owners), sizes)


def _mask(group: Encoded, device: torch.device) -> torch.Tensor:
    lengths = torch.tensor([len(a) for a in group.answers], device=device)
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths)
    own = (owner[:, None] == owner[None, :]).tril()
    return torch.cat([own.new_ones(len(owner), len(group.prompt)), own], dim=1)


def attention(module, query, key, value, attention_mask, dropout=0.0, scaling=None, spans=None, **kwargs):
    """Attention of a sequence of spans; without them, the ordinary one."""
    if spans is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs)
    groups = getattr(module, "num_key_value_groups", 1)
    key, value = repeat_kv(key, groups), repeat_kv(value, groups)
    parts = []
    for s in spans:
        middle = s.start + s.prompt
        p = slice(s.start, middle)
        parts.append(F.scaled_dot_product_attention(query[:, :, p], key[:, :, p], value[:, :, p], dropout_p=dropout, scale=scaling, is_causal=True))
        whole = slice(s.start, s.end)
        parts.append(F.scaled_dot_product_attention(query[:, :, middle : s.end], key[:, :, whole], value[:, :, whole], attn_mask=s.mask, dropout_p=dropout, scale=scaling))
    return torch.cat(parts, dim=2).transpose(1, 2).contiguous(), None


def mask(*args, attention_mask=None, **kwargs):
    """No mask where there is no padding: attention knows the spans."""
    return None if attention_mask is None else sdpa_mask(*args, attention_mask=attention_mask, **kwargs)


AttentionInterface.register(NAME, attention)
AttentionMaskInterface.register(NAME, mask)
