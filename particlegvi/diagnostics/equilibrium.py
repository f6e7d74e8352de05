"""Tests of equilibrium: drift and the time to Q* from the records of a run, R-hat and effective sample size of chains.

Chains are runs with different seeds, or the particles of one run, which without a repulsion are independent (Vehtari,
Gelman, Simpson, Carpenter and Buerkner, 2021, Bayesian Analysis 16, 667-718).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array, Loss
from particlegvi.diagnostics.particles import some
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.tools import arguments, objects

Numbers = NDArray[np.int64]
LEVEL = 1e-3  # significance level: probability of a false alarm for a run at equilibrium
RELEVANT = 0.02  # smallest relevant drift, in standard deviations
MOST_RECORDS = 24  # records used of each quarter
MOST_PARTICLES = 5000
MOST_NUMBERS = 1_000_000
HELD = 0.95  # share of the later records that must be below the floor


@runtime_checkable
class Recorded(Protocol):
    """A run, by its records."""

    @property
    def positions(self) -> Array: ...  # (records, particles, dim)


class Drift(NamedTuple):
    """The quantity that changes most between the third and the last quarter of a run.

    Attributes
    ----------
    name : str
        "mean loss", "mean of theta", "spread of theta", ...
    change : float
        Change of its mean over the particles.
    standard_errors : float
        The change in standard errors, with its sign.
    relative : float
        The change in standard deviations between particles.
    significant : bool
        Whether the change is significant and larger than a fiftieth of a standard deviation.
    """

    name: str
    change: float
    standard_errors: float
    relative: float
    significant: bool


def drift(positions: Array, times: ArrayLike, loss: Loss) -> Drift | None:
    """The largest drift over the second half of a run, by a paired t-test over particles.

    The loss, each coordinate and its squared deviation are averaged over the records of the third and of the last
    quarter of the time, for each particle. The differences of independent particles are independent for any
    autocorrelation in time, so that their mean has the standard error sd/sqrt(n) and no autocorrelation is estimated. A
    repulsion makes them weakly dependent. With m quantities, each is tested at the level 0.001/m.

    Parameters
    ----------
    positions : array (records, particles, dim)
        At most 24 records of each quarter and 5000 particles are used.
    times : array (records,)
    loss : Loss

    Returns
    -------
    Drift or None
        None if there are fewer than two particles or a quarter has no record.
    """
    from scipy.special import stdtrit

    allowed = f"an array (records, particles, {objects.loss(loss).dim}), the last as of the loss"
    positions = arguments.array("positions", positions, allowed)
    if positions.ndim != 3 or 0 in positions.shape or positions.shape[2] != loss.dim:
        raise arguments.shaped("positions", positions, allowed)
    time = _records("times", times, len(positions))
    end = time[-1]
    quarters = [np.flatnonzero((time > low * end) & (time <= high * end)) for low, high in ((0.5, 0.75), (0.75, 1.0))]
    number = min(positions.shape[1], MOST_PARTICLES)
    if number < 2 or any(len(quarter) == 0 for quarter in quarters):
        return None
    x = [
        np.array([some(np.asarray(positions[record]), MOST_PARTICLES) for record in quarter])
        for quarter in (records[spread_records(len(records), MOST_RECORDS)] for records in quarters)
    ]
    centre = 0.5 * sum(part.mean(axis=(0, 1)) for part in x)
    names, before, spread = _quantities(x[0], centre, loss)
    _, after, _ = _quantities(x[1], centre, loss)
    gap = after - before  # (quantities, particles)
    change = gap.mean(axis=1)
    error = gap.std(axis=1, ddof=1) / np.sqrt(number)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(error > 0.0, change / error, np.where(change == 0.0, 0.0, np.sign(change) * np.inf))
        relative = np.where(spread == 0.0, 0.0, change / spread)
    limit = -float(stdtrit(number - 1, 0.5 * LEVEL / len(names)))
    # not a number, as where a loss overflows, is never rest
    significant = ~(np.abs(score) <= limit) & ~(np.abs(relative) <= RELEVANT)
    size = np.nan_to_num(np.abs(score), nan=np.inf)
    worst = int(np.argmax(np.where(significant, size, -1.0) if significant.any() else size))
    return Drift(
        names[worst], float(change[worst]), float(score[worst]), float(relative[worst]), bool(significant[worst])
    )


def time_to_equilibrium(times: ArrayLike, distances: ArrayLike, floor: float) -> float | None:
    """First time at which a distance is below its floor, and from which on 95% of the records are.

    Parameters
    ----------
    times, distances : arrays (records,)
        For example W1 to Q* at each record.
    floor : float
        For example the 99% quantile of the distance of as many exact draws.

    Returns
    -------
    float or None
        In the units of ``times``. None if there is no such time, or the last record is above 1.5 times the floor.
    """
    time = _records("times", times)
    distance = _records("distances", distances, len(time))
    allowed = "a number, or infinity"
    level = arguments.array("floor", floor, allowed)
    if level.shape or np.isnan(level):
        raise arguments.refuse("floor", floor, allowed)
    below = distance <= floor
    share = np.cumsum(below[::-1])[::-1] / np.arange(len(below), 0, -1)
    good = below & (share >= HELD)
    if not np.any(good) or not distance[-1] <= 1.5 * floor:
        return None
    return float(time[np.argmax(good)])


def spread_records(number: int, most: int) -> Numbers:
    """At most ``most`` evenly spaced record numbers from 0 to number - 1, with both ends."""
    number, most = arguments.whole("number", number, 1), arguments.whole("most", most, 1, MOST_NUMBERS)
    return np.unique(np.round(np.linspace(0, number - 1, min(number, most))).astype(np.int64))


def earlier_record(times: Array, share: float = 0.5) -> int:
    """The record to compare with the last one: that of a share of the time, or the first where it is the last."""
    earlier = int(np.searchsorted(times, share * times[-1]))
    return earlier if earlier < len(times) - 1 else 0


def _records(key: str, values: ArrayLike, number: int | None = None) -> Array:
    """An array with one number for each record, checked."""
    allowed = f"an array ({'records' if number is None else number},) of numbers"
    array = arguments.array(key, values, allowed)
    if array.ndim != 1 or not array.size or number not in (None, array.size) or np.any(np.isnan(array)):
        raise arguments.refuse(key, values, allowed)
    return array


def _quantities(x: Array, centre: Array, loss: Loss) -> tuple[list[str], Array, Array]:
    """Names, means over the records (quantities, particles), and standard deviations (quantities,)."""
    records, number, dim = x.shape
    flat = np.ascontiguousarray(x.reshape(-1, dim))
    labels = loss.variables if isinstance(loss, PackageLoss) else [f"theta_{i + 1}" for i in range(dim)]
    names, rows = ["mean loss"], [np.asarray(loss.value(flat))]
    for i, label in enumerate(labels[:8]):
        names += [f"mean of {label}", f"spread of {label}"]
        rows += [flat[:, i], (flat[:, i] - centre[i]) ** 2]
    values = np.array(rows).reshape(len(rows), records, number)
    return names, values.mean(axis=1), values.std(axis=(1, 2))


CONSTANT = 1e-12  # share of the variance that is inside chains: less is rounding


def potential_scale_reduction(draws: ArrayLike) -> float:
    """Rank-normalised split R-hat: the larger one for the ranks and for the ranks of ``|draw - median|`` (section 4).

    Parameters
    ----------
    draws : array (chains, draws)
        Values of one quantity in the order of time, at least four in each chain. For a coordinate of a run they are
        ``run.positions[:, :, 0].T``: a particle is a chain, and a record a draw.

    Returns
    -------
    float
        Near 1 where the chains agree (Vehtari et al. recommend less than 1.01); NaN where nothing varies.
    """
    halves = _split(_checked(draws))
    return max(_plain(_normal_scores(halves)), _plain(_normal_scores(np.abs(halves - np.median(halves)))))


def effective_sample_size(draws: ArrayLike | Recorded) -> float:
    """Bulk effective sample size, from the normal scores of the ranks (equations 7 to 11).

    The autocorrelations of all chains together are summed in pairs up to the first pair that is not positive, and the
    pairs are made monotone (Geyer, 1992).

    Parameters
    ----------
    draws : array (chains, draws), or Run
        Values of one quantity in the order of time, at least four in each chain. A run has its particles as chains and
        its records as draws; the smallest number over its coordinates is returned.

    Returns
    -------
    float
        How many independent draws give the mean with the same error, for all chains together; NaN where no chain
        varies, also if each stays at a value of its own.
    """
    if isinstance(draws, Recorded):
        return float(np.min([effective_sample_size(each.T) for each in np.moveaxis(draws.positions, 2, 0)]))
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
