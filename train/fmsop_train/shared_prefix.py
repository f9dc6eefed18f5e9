"""A group's prompt computed once for all its answers, with exact gradients.

Groups are laid one behind the other in one sequence without padding, each as its
prompt and its answers:

    prompt answer₀ answer₁ … │ prompt answer₀ …

An answer's tokens attend to the prompt and to themselves, and their positions go
on from the prompt's end, so that every answer has the log-likelihoods that it has
behind its prompt alone. All but attention is per token and needs no change.
"""

from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention
from torch.nn.utils.rnn import pad_sequence
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from .batch import Batch
from .prompt import Encoded

NAME = "fmsop_shared_prefix"  # of the attention, for from_pretrained


@dataclass(frozen=True)
class Span:
    """A group within the sequence."""

    prompt: int  # tokens
    lengths: tuple[int, ...]  # of the answers
    # Whether the answers' attention is computed as rows, each with a copy of the
    # prompt's keys, or as one long answer, most of whose own keys are masked: work
    # that grows with the number of answers times the prompt, or with the square of
    # all answers. Measured, the one wins where the answers are longer than the prompt.
    stacked: bool
    mask: torch.Tensor  # what the answers' tokens attend to


def pack(groups: list[Encoded], device: torch.device, kernel: str = "sdpa") -> Batch:
    ids, positions, sources, targets, owners = [], [], [], [], []
    answers = 0
    for g in groups:
        ids += g.prompt
        positions += range(len(g.prompt))
        last = len(ids) - 1
        for a in g.answers:
            # The prompt's last token predicts the first one of every answer.
            sources += [last, *range(len(ids), len(ids) + len(a) - 1)]
            targets += a
            owners += [answers] * len(a)
            positions += range(len(g.prompt), len(g.prompt) + len(a))
            ids += a
            answers += 1

    def tensor(values):
        return torch.tensor(values, device=device)

    inputs = {
        "input_ids": tensor([ids]),
        "position_ids": tensor([positions]),
        "logits_to_keep": tensor(sources),
        "spans": _block_mask(groups, device) if kernel == "flex" else _spans(groups, device),
    }
    return Batch(inputs, None, tensor(targets), tensor(owners), tuple(len(g.answers) for g in groups), len(ids), 0)


def attention(module, query, key, value, attention_mask, dropout=0.0, scaling=None, spans=None, **kwargs):
    """Attention over packed groups; over anything else the ordinary one."""
    if spans is None and query.shape[2] == 1 and query.device.type == "cpu":
        return _one_token(query, key, value, attention_mask, scaling).transpose(1, 2).contiguous(), None
    if spans is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs)
    if isinstance(spans, BlockMask):
        out = _flex(query.device.type)(query, key, value, block_mask=spans, scale=scaling, enable_gqa=query.shape[1] != key.shape[1])
    else:
        repeats = query.shape[1] // key.shape[1]
        out = _by_span(query, repeat_kv(key, repeats), repeat_kv(value, repeats), spans, scaling)
    return out.transpose(1, 2).contiguous(), None


def _one_token(query, key, value, mask: torch.Tensor | None, scaling: float | None) -> torch.Tensor:
    """Of a token each, as answers are decoded: in bfloat16 a CPU's kernel takes several
    times as long for it."""
    batch, heads, _, width = query.shape
    rows = query.reshape(batch, key.shape[1], -1, width)  # heads that share a key
    with torch.autocast(query.device.type, enabled=False):
        scores = rows.float() @ key.float().transpose(2, 3) * (width**-0.5 if scaling is None else scaling)
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return (scores.softmax(-1).to(value.dtype) @ value).view(batch, heads, 1, width)


def _by_span(query, key, value, spans: tuple[Span, ...], scaling: float | None) -> torch.Tensor:
    """Of tensors (1, heads, tokens, width)."""
    # Split, not sliced: the gradient of a slice is as large as all that it is of.
    sizes = [s.prompt + sum(s.lengths) for s in spans]
    parts = []
    for s, q, k, v in zip(spans, *(x.split(sizes, dim=2) for x in (query, key, value))):
        (prompt_q, own_q), (prompt_k, own_k), (prompt_v, own_v) = (x.split([s.prompt, sum(s.lengths)], dim=2) for x in (q, k, v))
        parts.append(F.scaled_dot_product_attention(prompt_q, prompt_k, prompt_v, scale=scaling, is_causal=True))
        if s.stacked:
            parts.append(_stacked(own_q, (prompt_k, own_k), (prompt_v, own_v), s, scaling))
        else:
            parts.append(F.scaled_dot_product_attention(own_q, k, v, attn_mask=s.mask, scale=scaling))
    return torch.cat(parts, dim=2)


def _stacked(query, key, value, span: Span, scaling: float | None) -> torch.Tensor:
    """The answers' attention, a row each. key and value are the prompt's and theirs."""

    def rows(x):
        return pad_sequence(x[0].transpose(0, 1).split(span.lengths), batch_first=True).transpose(1, 2)

    def behind_prompt(prompt, own):
        return torch.cat([prompt.expand(len(span.lengths), -1, -1, -1), rows(own)], dim=2)

    out = F.scaled_dot_product_attention(rows(query), behind_prompt(*key), behind_prompt(*value), attn_mask=span.mask, scale=scaling)
    own = [o[:, :n] for o, n in zip(out, span.lengths)]
    return torch.cat(own, dim=1)[None]


def _spans(groups: list[Encoded], device: torch.device) -> tuple[Span, ...]:
    spans = []
    for g in groups:
        lengths = tuple(map(len, g.answers))
        stacked = sum(lengths) > len(g.prompt)
        mask = (_mask_of_rows if stacked else _mask_of_one)(len(g.prompt), lengths, device)
        spans.append(Span(len(g.prompt), lengths, stacked, mask))
    return tuple(spans)


def _mask_of_rows(prompt: int, lengths: tuple[int, ...], device: torch.device) -> torch.Tensor:
    """(longest answer, prompt and longest answer): what pads a shorter one comes
    behind it, where it does not look."""
    longest = max(lengths)
    return torch.ones(longest, prompt + longest, dtype=torch.bool, device=device).tril(prompt)


def _mask_of_one(prompt: int, lengths: tuple[int, ...], device: torch.device) -> torch.Tensor:
    """(all answers, prompt and all answers)"""
    owner = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths)).to(device)
    own = (owner[:, None] == owner[None, :]).tril()
    return torch.cat([own.new_ones(len(owner), prompt), own], dim=1)


def _block_mask(groups: list[Encoded], device: torch.device) -> BlockMask:
    """The same for FlexAttention, which skips the blocks that are all masked."""
    group, part = [], []  # of each token: its group; 0 in a prompt, else its answer's number from 1
    for i, g in enumerate(groups):
        group += [i] * g.packed
        part += [0] * len(g.prompt)
        for k, a in enumerate(g.answers, 1):
            part += [k] * len(a)
    group_of, part_of = torch.tensor(group, device=device), torch.tensor(part, device=device)

    def attends(b, h, q, k):
        return (group_of[q] == group_of[k]) & (k <= q) & ((part_of[k] == 0) | (part_of[k] == part_of[q]))

    return create_block_mask(attends, None, None, len(group), len(group), device=device.type)


@cache
def _flex(device: str):
    """FlexAttention is fast only compiled; on a CPU it is there for tests, without gradient."""
    return flex_attention if device == "cpu" else torch.compile(flex_attention, dynamic=True)


def mask(*args, attention_mask=None, **kwargs):
    """No mask where there is no padding: attention knows the spans."""
    return None if attention_mask is None else sdpa_mask(*args, attention_mask=attention_mask, **kwargs)


AttentionInterface.register(NAME, attention)
AttentionMaskInterface.register(NAME, mask)
