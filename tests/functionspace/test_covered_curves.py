"""Figure 4.1's three curves: what share of the training inputs has the truth in the 90% band of the function there."""

import numpy as np
import pytest

from particlegvi.functionspace import (
    ExactGaussianProcess,
    GaussianWasserstein,
    SparseGaussianProcess,
    covariances,
    fit_hyperparameters,
    likelihoods,
    means,
)

LEFT_OUT = [1, 3, 4, 5, 8, 9, 18]  # of twenty pieces
CURVES = {
    1: (lambda x: np.sin(x) + 0.1 * x, 10.0, 0.5),
    2: (lambda x: np.sin(x) + 0.1 * x**2, 10.0, 0.5),
    3: (lambda x: np.sin(3 * np.pi * x) + 0.3 * np.cos(9 * np.pi * x) + 0.5 * np.sin(7 * np.pi * x), 1.0, 0.25),
}
WIDE = 1.6448536269514722


def shares(number, seed):
    """By model the share of the training inputs whose 90% band holds the truth; the protocol of the published program:
    standardised data, a kernel from thirty points alone, and for the exact process one from all rows."""
    curve, end, noise = CURVES[number]
    rng = np.random.default_rng(seed)
    x = np.linspace(-end, end, 1000)
    y = curve(x) + noise * rng.standard_normal(1000)
    rows = np.flatnonzero(~np.isin(np.arange(1000) // 50, LEFT_OUT))
    X, shift, unit = ((x - x[rows].mean()) / x[rows].std())[rows, None], y[rows].mean(), y[rows].std()
    t, truth = (y[rows] - shift) / unit, (curve(x)[rows] - shift) / unit
    chosen = rng.permutation(len(rows))[:30]
    start = covariances.SquaredExponential(1.0, 1.0)
    k, s2, _ = fit_hyperparameters(start, X[chosen], t[chosen], 0.1)
    gaussian = likelihoods.Gaussian(noise_variance=s2)
    network = means.MeanNetwork(hidden=(50, 50), epochs=1000)
    models = {
        "gwi-net": GaussianWasserstein(k, gaussian, X[chosen], network, seed=seed).fit(X, t, validation=(X, t)),
        "gwi-svgp": GaussianWasserstein(k, gaussian, X[chosen]).fit(X, t),
        "svgp": SparseGaussianProcess(k, gaussian, X[chosen]).fit(X, t),
        "exact": ExactGaussianProcess(*fit_hyperparameters(start, X, t, 0.1)[:2]).fit(X, t),
    }
    models["gwi-net"].variance_factor_ = 1.0  # the band that the objective asks for, untempered
    found = {}
    for name, model in models.items():
        mean, sd = model.predict(X, return_std=True)
        found[name] = float(np.mean(np.abs(truth - mean) <= WIDE * sd))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", CURVES)
def test_bands_of_functions_cover_what_they_should_or_not(number):
    found = shares(number, 0)
    assert max(found["gwi-net"], found["gwi-svgp"]) <= 0.25
    assert 0.75 <= found["svgp"] <= 0.95
    assert 0.88 <= found["exact"] <= 0.95
