"""Probabilities of classes: reference numbers, the closed form of two, draws, and the printed density, which fails."""

import numpy as np
import pytest
from scipy.stats import norm

from particlegvi.functionspace.prediction.class_probabilities import class_probabilities


@pytest.mark.parametrize(
    ("means", "variances", "expected"),
    [
        ((0.5, 0.1, -0.4), (0.3, 0.5, 0.2), (0.638457044998, 0.311087946986, 0.050455008016)),
        ((0.0, 1.0, -1.0, 0.5), (1e-3, 1.0, 1e-2, 0.1), (0.009269657189, 0.681532759480, 0.0, 0.309197583331)),
    ],
)
def test_reference_numbers(means, variances, expected):
    found = class_probabilities(means, variances)
    assert np.allclose(found, expected, rtol=0.0, atol=1e-12) and abs(found.sum() - 1.0) < 1e-12


def test_they_sum_to_one_at_all_scales(rng):
    means, variances = 3.0 * rng.standard_normal((300, 8)), 10.0 ** rng.uniform(-6.0, 2.0, (300, 8))
    found = class_probabilities(means, variances)
    assert np.abs(found.sum(axis=1) - 1.0).max() < 1e-12 and found.min() >= 0.0
    assert np.array_equal(found[7], class_probabilities(means[7], variances[7]))
    order = rng.permutation(8)
    assert np.allclose(class_probabilities(means[:, order], variances[:, order]), found[:, order], atol=1e-14)


def test_two_classes_have_a_closed_form(rng):
    means, variances = rng.standard_normal((200, 2)), 10.0 ** rng.uniform(-6.0, 2.0, (200, 2))
    exact = norm.cdf((means[:, 0] - means[:, 1]) / np.sqrt(variances.sum(axis=1)))
    assert np.allclose(class_probabilities(means, variances)[:, 0], exact, rtol=0.0, atol=1e-12)


def test_draws_agree_and_the_printed_density_does_not(rng):
    m, r = np.array([0.2, -0.3, 0.4, 0.0, 0.1]), np.array([0.5, 2.0, 0.1, 0.3, 1.0])
    drawn = np.argmax(m + np.sqrt(r) * rng.standard_normal((100_000, 5)), axis=1)
    shares = np.bincount(drawn, minlength=5) / 1e5
    exact, error = class_probabilities(m, r), np.sqrt(shares * (1.0 - shares) / 1e5)
    assert np.all(np.abs(shares - exact) < 4.5 * error)
    nodes, weights = np.polynomial.hermite.hermgauss(50)  # (B.52) as it is printed: phi, no distribution function
    t = np.sqrt(2.0 * r[2]) * nodes + m[2]
    z = (t[:, None] - np.delete(m, 2)) / np.sqrt(np.delete(r, 2))
    assert abs(weights @ norm.pdf(z).prod(axis=1) / np.sqrt(np.pi) - shares[2]) > 100.0 * error[2]


def test_labels_of_the_robust_maximum(rng):
    m, r = rng.standard_normal((40, 4)), rng.uniform(0.1, 2.0, (40, 4))
    S = class_probabilities(m, r)
    labels = class_probabilities(m, r, epsilon=0.03)
    assert np.allclose(labels, 0.97 * S + 0.01 * (1.0 - S)) and np.allclose(labels.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (([0.0], [1.0]), "means must be an array"),
        (([0.0, 1.0], [1.0, 0.0]), "variances must be positive numbers"),
        (([0.0, 1.0], [1.0, 1.0, 1.0]), "variances must be an array"),
        (([0.0, np.nan], [1.0, 1.0]), "means must be"),
        (([0.0, 1.0], [1.0, 1.0], 1.0), "epsilon must be a number from 0 and below 1"),
    ],
)
def test_bad_input_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        class_probabilities(*given)
