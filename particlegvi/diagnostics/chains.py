"""R-hat and effective sample size of several chains (Vehtari, Gelman, Simpson, Carpenter and Buerkner, 2021, Bayesian
Analysis 16, 667-718).

The chains are runs with different seeds, or the particles of one run, which without a repulsion are independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.tools import arguments

CONSTANT = 1e-12  # share of the variance that is inside chains: less is rounding


def potential_scale_reduction(draws: ArrayLike) -> float:
    """Rank-normalised split R-hat: the larger one for the ranks and for the ranks of ``|draw - median|`` (section 4).

    Parameters
    ----------
    draws : array (chains, draws)
        Values of one quantity in the order of time, at least four in each chain.

    Returns
    -------
    float
        Near 1 where the chains agree (Vehtari et al. recommend less than 1.01); NaN where nothing varies.
    """
    halves = _split(_checked(draws))
    return max(_plain(_normal_scores(halves)), _plain(_normal_scores(np.abs(halves - np.median(halves)))))


def effective_sample_size(draws: ArrayLike) -> float:
    """Bulk effective sample size, from the normal scores of the ranks (equations 7 to 11).

    The autocorrelations of all chains together are summed in pairs up to the first pair that is not positive, and the
    pairs are made monotone (Geyer, 1992).

    Parameters
    ----------
    draws : array (chains, draws)
        Values of one quantity in the order of time, at least four in each chain.

    Returns
    -------
    float
        Of all chains together; NaN where no chain varies, also if each stays at a value of its own.
    """
    z = _normal_scores(_split(_checked(draws)))
    chains, number = z.shape
    centred = z - z.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * number, axis=1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, axis=1)[:, :number].mean(axis=0) / number
    within = covariance[0] * number / (number - 1.0)
    total = within * (number - 1.0) / number + (np.var(z.mean(axis=1), ddof=1) if chains > 1 else 0.0)
    if not within > CONSTANT * total:
        return float("nan")
    correlation = 1.0 - (within - covariance) / total
    correlation[0] = 1.0
    last = len(range(1, number - 3, 2))  # the pair whose second member may still be estimated
    pairs = correlation[: 2 * last + 2].reshape(-1, 2).sum(axis=1)
    positive = int(np.argmax(pairs <= 0.0)) if np.any(pairs <= 0.0) else last
    kept = np.minimum.accumulate(pairs[:positive])
    tau = -1.0 + 2.0 * kept.sum() + max(float(correlation[2 * positive]), 0.0)  # first of the pair that ends the sum
    size = chains * number
    return float(size / max(tau, 1.0 / np.log10(size)))


def _checked(draws: ArrayLike) -> Array:
    x = arguments.array("draws", draws, "an array (chains, draws)")
    if x.ndim != 2 or x.shape[0] < 1 or x.shape[1] < 4:
        raise arguments.shaped("draws", x, "an array (chains, draws) with four draws or more")
    if not np.all(np.isfinite(x)):
        raise ValueError("draws must be finite numbers, not NaN or infinity")
    return x


def _split(x: Array) -> Array:
    """Both halves of each chain, (2 chains, draws // 2); the middle draw of an odd number is left out."""
    half = x.shape[1] // 2
    return np.concatenate([x[:, :half], x[:, -half:]])


def _normal_scores(x: Array) -> Array:
    """Normal quantiles of (rank - 3/8)/(size + 1/4), with the mean rank of ties (equation 14)."""
    from scipy.special import ndtri

    _, place, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts - 1.0)
    return ndtri((ranks[place.reshape(x.shape)] - 0.375) / (x.size + 0.25))


def _plain(z: Array) -> float:
    """R-hat of chains (chains, draws) without ranks; NaN where nothing varies."""
    number = z.shape[1]
    between = number * np.var(z.mean(axis=1), ddof=1) if len(z) > 1 else 0.0
    within = float(np.mean(np.var(z, axis=1, ddof=1)))
    return float(np.sqrt((between / within + number - 1.0) / number)) if within > 0.0 else float("nan")
