"""Computes the statistics of package rubric by other people's code: reads a
list of {"name", "of"} and writes the list of their values, lists of numbers
with null for one that is undefined."""

import json
import math
import os
import sys
import warnings

import krippendorff
import numpy as np
from scipy import stats
from sklearn import metrics

warnings.simplefilter("ignore")  # of statistics that are undefined
GRADES = list(range(5))


def kappa(o):
    return [metrics.cohen_kappa_score(o["a"], o["b"], labels=GRADES, weights=w) for w in (None, "linear", "quadratic")]


def alpha(o):
    counts = [[unit.count(g) for g in GRADES] for unit in o["units"]]
    return [
        krippendorff.alpha(value_counts=counts, value_domain=GRADES, level_of_measurement=m)
        for m in ("nominal", "ordinal", "interval")
    ]


def confusion(o):
    right, passed = o["right"], o["passed"]
    return [
        metrics.accuracy_score(right, passed),
        1 - metrics.recall_score(right, passed, pos_label=0),
        1 - metrics.recall_score(right, passed, pos_label=1),
        metrics.cohen_kappa_score(right, passed),
    ]


def wilson(o):
    return list(stats.binomtest(o["passed"], o["n"]).proportion_ci(0.95, "wilson"))


def passed(o):
    drawn = stats.hypergeom(o["n"], o["c"], o["k"])
    return [1 - drawn.pmf(0), drawn.pmf(o["k"])]


def borda(o):
    """Models by domains: how many models each strictly beats, as a mean."""
    return (stats.rankdata(o["rates"], method="min", axis=0) - 1).mean(axis=1).tolist()


def matched(o):
    target, predicted = o["target"], o["predicted"]
    prefix = len(os.path.commonprefix([target, predicted]))
    return [prefix, prefix / max(len(target), len(predicted), 1)]


def by_cluster(values, clusters, size):
    """Sums and counts of what is not NaN."""
    known = ~np.isnan(values)
    sums = np.bincount(clusters[known], weights=values[known], minlength=size)
    return sums, np.bincount(clusters[known], minlength=size)


def interval(values, clusters, size, draws):
    """The clustered mean and its percentile interval, None where there are no draws."""
    sums, counts = by_cluster(values, clusters, size)
    full = counts > 0
    sums, counts = sums[full], counts[full]
    mean = sums.sum() / counts.sum()
    drawn = draws.get(str(len(sums)))
    if drawn is None:
        return mean, None, None
    drawn = np.array(drawn)
    low, high = np.quantile((drawn @ sums) / (drawn @ counts), [0.025, 0.975])
    return mean, low, high


def aggregate(o):
    """Equation 14: value, bounds and interval of each dimension, then of e_final."""
    weights = np.array(o["weights"])
    clusters = np.array(o["clusters"])
    e = np.array(o["e"], dtype=float)  # question, repeat, dimension; NaN: unscored
    tests = np.array(o["tests"])  # question, dimension
    size = clusters.max() + 1
    out, tallies = [], []
    for d in range(len(weights)):
        asked = tests[:, d]
        scores = e[asked, :, d]
        mean, low, high = interval(np.nanmean(scores, axis=1), clusters[asked], size, o["draws"])
        out += [mean, np.nan_to_num(scores, nan=0).mean(), np.nan_to_num(scores, nan=1).mean(), low, high]
        tallies.append(by_cluster(np.nanmean(scores, axis=1), clusters[asked], size))
    of_dimensions = np.array(out, dtype=float).reshape(-1, 5)
    final = list(weights @ of_dimensions[:, :3])
    drawn = np.array(o["draws"][str(size)])
    means = np.array([(drawn @ sums) / (drawn @ counts) for sums, counts in tallies])
    share = weights[:, None] * ~np.isnan(means)
    resampled = np.nansum(share * np.nan_to_num(means), axis=0) / share.sum(axis=0)
    return out + final + list(np.quantile(resampled, [0.025, 0.975]))


def paired(o):
    """Difference of means, its interval, and the exact p-value of flipped signs."""
    a, b = np.array(o["a"], dtype=float), np.array(o["b"], dtype=float)
    clusters = np.array(o["clusters"])
    size = clusters.max() + 1
    mean, low, high = interval(a - b, clusters, size, o["draws"])
    sums, counts = by_cluster(a - b, clusters, size)
    sums = sums[counts > 0]
    test = stats.permutation_test(
        (sums, np.zeros_like(sums)), lambda x, y, axis: np.sum(x - y, axis=axis),
        permutation_type="samples", vectorized=True, n_resamples=np.inf,
    )
    return [mean, low, high, test.pvalue]


def resampled(o):
    """A percentile interval from resamples of its own."""
    found = stats.bootstrap(
        (o["values"],), np.mean, n_resamples=20000, method="percentile",
        rng=np.random.default_rng(1),
    )
    return list(found.confidence_interval) + [found.standard_error]


def plain(x):
    return None if x is None or math.isnan(x) else float(x)


functions = [kappa, alpha, confusion, wilson, passed, borda, matched, aggregate, paired, resampled]
named = {f.__name__: f for f in functions}
json.dump([[plain(x) for x in named[q["name"]](q["of"])] for q in json.load(sys.stdin)], sys.stdout)
