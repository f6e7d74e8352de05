"""Scores of classification against brute force over pairs, scipy's densities and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from particlegvi import metrics


def pairs(y: np.ndarray, score: np.ndarray) -> float:
    """The area under the curve by its definition: every 1 against every 0."""
    difference = score[y == 1.0][:, None] - score[y == 0.0][None, :]
    return float(np.mean((difference > 0.0) + 0.5 * (difference == 0.0)))


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_area_is_the_share_of_ordered_pairs_with_and_without_ties(values, seed):
    rng = np.random.default_rng(seed)
    y = (rng.random(83) < 0.3).astype(float)
    score = rng.integers(values, size=83) / 7.0
    assert metrics.area_under_curve(y, score) == pytest.approx(pairs(y, score), rel=1e-14)
    assert metrics.area_under_curve(1.0 - y, -score) == pytest.approx(pairs(y, score), rel=1e-14)


def test_the_area_of_separated_and_of_useless_scores():
    assert metrics.area_under_curve([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]) == 1.0
    assert metrics.area_under_curve([0, 0, 1, 1], [0.4, 0.3, 0.2, 0.1]) == 0.0
    assert metrics.area_under_curve([0, 1, 1], [0.5, 0.5, 0.5]) == 0.5


def test_the_other_scores_against_their_definitions():
    rng = np.random.default_rng(3)
    y, p = (rng.random(61) < 0.4).astype(float), rng.random(61)
    assert metrics.bernoulli_nll(y, p) == pytest.approx(-stats.bernoulli(p).logpmf(y).mean(), rel=1e-13)
    assert metrics.brier_score(y, p) == pytest.approx(sum((a - b) ** 2 for a, b in zip(y, p, strict=True)) / 61)
    assert metrics.accuracy(y, p) == pytest.approx(np.mean([round(b) == a for a, b in zip(y, p, strict=True)]))


def test_scikit_learn_agrees():
    theirs = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    rng = np.random.default_rng(4)
    y, p = (rng.random(200) < 0.7).astype(float), np.round(rng.random(200), 2)
    p[p == 0.5] = 0.51
    assert metrics.area_under_curve(y, p) == pytest.approx(theirs.roc_auc_score(y, p), rel=1e-13)
    assert metrics.accuracy(y, p) == pytest.approx(theirs.accuracy_score(y, p.round()))
    assert metrics.brier_score(y, p) == pytest.approx(theirs.brier_score_loss(y, p))


def test_certainty_costs_nothing_where_right_and_everything_where_wrong():
    assert metrics.bernoulli_nll([0, 1], [0.0, 1.0]) == 0.0
    assert metrics.bernoulli_nll([0, 1], [0.0, 0.0]) == math.inf
    assert metrics.accuracy([0, 1], [0.5, 0.5]) == 0.5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.area_under_curve([1, 1], [0.0, 1.0]), "0 zeros and 2 ones"),
        (lambda: metrics.area_under_curve([0, 1], [0.0, np.nan]), "score must .*, not one with NaN or infinity"),
        (lambda: metrics.accuracy([0, 2], [0.5, 0.5]), "y must be labels 0 and 1, not 2"),
        (lambda: metrics.brier_score([0, 1], [0.5, 1.5]), r"probability must be probabilities from 0 to 1, not 1\.5"),
        (lambda: metrics.bernoulli_nll([0, 1], [0.5]), r"probability must .*, not an array of the shape \(1,"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
