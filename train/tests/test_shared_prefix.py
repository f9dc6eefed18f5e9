"""Sharing a prompt changes neither likelihoods nor gradients."""

import unittest

import tiny
import torch
import torch.nn.functional as F

from fmsop_train import objective, padded, shared_prefix
from fmsop_train.batch import Batch
from fmsop_train.prompt import Encoded


def groups() -> list[Encoded]:
    g = torch.Generator().manual_seed(3)

    def ids(n):
        return torch.randint(0, 250, (n,), generator=g).tolist()

    return [
        Encoded("a", 1, ids(17), [ids(5), ids(1), ids(9), ids(4)]),
        Encoded("b", 2, ids(30), [ids(2), ids(7)]),
        Encoded("c", 3, ids(1), [ids(6), ids(6)]),
    ]


def naive(model, group: Encoded) -> torch.Tensor:
    """Log-likelihoods of the answers, each in a forward pass of its own."""
    sums = []
    for answer in group.answers:
        ids = torch.tensor([group.prompt + answer])
        logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0, len(group.prompt) - 1 : -1]
        sums.append(-F.cross_entropy(logits, torch.tensor(answer), reduction="sum"))
    return torch.stack(sums)


def shared(model, groups: list[Encoded], kernel: str) -> torch.Tensor:
    return likelihoods(model, shared_prefix.pack(groups, torch.device("cpu"), kernel))


def likelihoods(model, batch: Batch) -> torch.Tensor:
    sums, _ = objective.log_likelihoods(batch.logits(model), batch.targets, batch.answer, sum(batch.sizes))
    return sums


def gradients(model, sums: torch.Tensor, sizes: list[int]) -> dict[str, torch.Tensor]:
    model.zero_grad()
    losses = [objective.info_nce(s, 1.0) for s in sums.split(sizes)]
    torch.stack(losses).sum().backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


class SharedPrefix(unittest.TestCase):
    def setUp(self):
        self.groups = groups()
        stacked = [s.stacked for s in shared_prefix._spans(self.groups, torch.device("cpu"))]
        self.assertEqual(set(stacked), {True, False})  # both ways are tried
        self.sizes = [len(g.answers) for g in self.groups]
        self.model = tiny.model().double()
        self.model.set_attn_implementation("sdpa")
        self.expected = torch.cat([naive(self.model, g) for g in self.groups])
        self.gradients = gradients(self.model, self.expected, self.sizes)

    def same(self, model):
        self.equal(model, shared(model, self.groups, "sdpa"))

    def equal(self, model, got):
        torch.testing.assert_close(got.double(), self.expected.detach(), atol=1e-5, rtol=1e-5)
        for name, gradient in gradients(model, got, self.sizes).items():
            torch.testing.assert_close(gradient, self.gradients[name], atol=1e-6, rtol=1e-4, msg=lambda m, n=name: f"{n}: {m}")

    def test_equals_naive(self):
        self.model.set_attn_implementation(shared_prefix.NAME)
        self.same(self.model)

    def test_equals_naive_with_checkpointing(self):
        self.model.set_attn_implementation(shared_prefix.NAME)
        self.model.activation_checkpointing_enable({"use_reentrant": False})
        self.same(self.model.train())

    def test_flex_equals_naive(self):
        self.model.set_attn_implementation(shared_prefix.NAME)
        with torch.no_grad():  # FlexAttention has no gradient on a CPU
            got = shared(self.model.float(), self.groups, "flex")
        torch.testing.assert_close(got, self.expected.float(), atol=1e-4, rtol=1e-4)

    def test_padded_equals_naive(self):
        self.equal(self.model, likelihoods(self.model, padded.pad(self.groups, torch.device("cpu"))))

    def test_would_notice_answers_that_see_each_other(self):
        self.model.set_attn_implementation("sdpa")  # which knows no spans
        with self.assertRaises(AssertionError):
            self.same(self.model)


class Decoding(unittest.TestCase):
    def test_one_token_is_as_the_kernel_has_it(self):
        g = torch.Generator().manual_seed(5)
        query, key, value = (torch.randn(3, heads, n, 8, generator=g) for heads, n in ((6, 1), (2, 11), (2, 11)))
        masked = torch.ones(3, 1, 1, 11, dtype=torch.bool)
        masked[1, ..., :4] = False  # padding
        repeated = [x.repeat_interleave(3, dim=1) for x in (key, value)]
        for mask in (None, masked):
            want = F.scaled_dot_product_attention(query, *repeated, attn_mask=mask, scale=0.3).transpose(1, 2)
            got, _ = shared_prefix.attention(None, query, key, value, mask, scaling=0.3)
            torch.testing.assert_close(got, want)
            rounded = (x.bfloat16() for x in (query, key, value))
            with torch.autocast("cpu", torch.bfloat16):
                got, _ = shared_prefix.attention(None, *rounded, mask, scaling=0.3)
            torch.testing.assert_close(got.float(), want, atol=0.02, rtol=0.02)


if __name__ == "__main__":
    unittest.main()
