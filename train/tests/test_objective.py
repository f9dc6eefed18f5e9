"""The objective against numbers worked out by hand."""

import math
import unittest

import torch

from fmsop_train import objective


def close(got, want, tolerance=1e-6):
    torch.testing.assert_close(
        torch.as_tensor(got, dtype=torch.float64), torch.as_tensor(want, dtype=torch.float64), atol=tolerance, rtol=0
    )


class InfoNCE(unittest.TestCase):
    def test_by_hand(self):
        # e² + e + 1 = 11.1073; its logarithm, 2.4076, less 2
        close(objective.info_nce(torch.tensor([2.0, 1.0, 0.0]), 1.0), 0.40760596444438)
        # the same with scores 4, 2, 0
        close(objective.info_nce(torch.tensor([2.0, 1.0, 0.0]), 0.5), 0.14293163)
        for m in (1, 4, 20):
            close(objective.info_nce(torch.full((m + 1,), -7.5), 0.1), math.log(m + 1), 1e-5)

    def test_no_overflow(self):
        close(objective.info_nce(torch.tensor([0.0, 900.0]), 0.1), 9000.0)
        close(objective.info_nce(torch.tensor([-900.0, -1800.0]), 1.0), 0.0)

    def test_gradient_is_softmax_less_the_positive(self):
        for temperature in (1.0, 0.1):
            scores = torch.tensor([0.2, 0.1, 0.0], dtype=torch.float64) * temperature * 10
            scores.requires_grad_()
            objective.info_nce(scores, temperature).backward()
            close(scores.grad * temperature, [0.66524096 - 1, 0.24472847, 0.09003057])


class Likelihoods(unittest.TestCase):
    # Of two tokens: even odds, then 3 to 1.
    logits = torch.tensor([[0.0, 0.0], [0.0, math.log(3)], [0.0, math.log(3)]])

    def test_sums_by_answer(self):
        sums, counts = objective.log_likelihoods(self.logits, torch.tensor([0, 1, 0]), torch.tensor([0, 0, 1]), 2)
        close(sums, [math.log(1 / 2) + math.log(3 / 4), math.log(1 / 4)])
        close(counts, [2, 1])

    def test_chunks_change_nothing(self):
        torch.manual_seed(1)
        n = 2 * objective.CHUNK + 5
        logits, targets = torch.randn(n, 7, dtype=torch.float64), torch.randint(0, 7, (n,))
        sums, _ = objective.log_likelihoods(logits, targets, torch.zeros(n, dtype=torch.long), 1)
        want = logits.float().log_softmax(-1).gather(1, targets[:, None]).sum()
        close(sums[0], want, 1e-1)
        self.assertAlmostEqual(float(sums[0] / want), 1, places=5)

    def test_gradient_of_the_logits(self):
        logits = self.logits.clone().requires_grad_()
        sums, _ = objective.log_likelihoods(logits, torch.tensor([0, 1, 0]), torch.tensor([0, 0, 1]), 2)
        objective.info_nce(sums, 1.0).backward()
        # p(wrong) = (1/4) / (1/4 + 3/8) = 0.4; a sum's gradient by its logits is (hit − p).
        close(logits.grad, [[-0.4 * 0.5, 0.4 * 0.5], [0.4 * 0.25, -0.4 * 0.25], [0.4 * 0.75, -0.4 * 0.75]])


class Losses(unittest.TestCase):
    sums, counts = torch.tensor([-4.0, -3.0, -1.0, -2.0, -1.0]), torch.tensor([4.0, 2.0, 1.0, 1.0, 2.0])

    def test_sum_and_per_token(self):
        sizes = (3, 2)
        by_sum = objective.losses(self.sums, self.counts, sizes, "sum", 1.0)
        close(by_sum.contrastive, [math.log(1 + math.e + math.e**3), math.log(1 + math.e)])
        close(by_sum.margin, [-3.0, -1.0])
        by_token = objective.losses(self.sums, self.counts, sizes, "per_token", 0.5)
        close(by_token.contrastive, [math.log(2 + math.exp(-1)), math.log(1 + math.exp(3))])
        close(by_token.margin, [0.0, -1.5])
        for losses in (by_sum, by_token):
            close(losses.nll, [1.0, 2.0])

    def test_total_weighs_both(self):
        losses = objective.losses(self.sums, self.counts, (3, 2), "sum", 1.0)
        close(losses.total(0.5, 0.1), 0.5 * losses.contrastive + 0.1 * losses.nll)


if __name__ == "__main__":
    unittest.main()
