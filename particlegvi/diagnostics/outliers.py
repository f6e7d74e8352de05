"""Outliers: particles that escape from every scale of their problem, or lie where the target has no mass.

The excess energy is the height of particles above the minimum of their potential. At equilibrium
log q* = -U/T + const with T = kl_weight, where U = loss - T log p for DLE; for DRLE the mean field of the other
particles is part of U. The excess U(x) - min U = T (max log q* - log q*(x)) of exact draws has the mean
T (max log q* - E log q*). Near one Gaussian mode 2/T times it is chi-squared with dim degrees of freedom: its mean is
T dim/2. A few distant particles raise it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Prior
from particlegvi.diagnostics.equilibrium import earlier_record
from particlegvi.diagnostics.particles import in_space
from particlegvi.targets.density import OUTSIDE, DensityTarget
from particlegvi.targets.quadrature.potential import domain_of
from particlegvi.tools import arguments, objects
from particlegvi.tools.quoting import refuse

FAR = 1e3  # scales of the problem beyond which no particle has any business
GROWTH = 10.0  # factor of the second half; an exponential that has come so far has at least sqrt(FAR)
HUGE = 1e100  # squares of larger coordinates are not finite


def problem_scale(start: Array, prior: Prior, ends: Array) -> float:
    """The largest distance from the mean of the start, (particles, dim), of the start, the prior and the truth.

    The prior counts with its centre and its scale, and the truth with points (n, dim) at its ends.
    """
    domain = domain_of(prior)
    centre = start.mean(axis=0)
    points = np.concatenate([start, domain.centre[None], domain.centre + domain.scale[None], ends])
    return float(np.max(np.linalg.norm(points - centre, axis=1)))


def escaped(positions: Array, times: Array, scale: float) -> Array:
    """Which particles (particles,) are beyond 1000 scales of the start's mean, at least 10 times as far as halfway.

    Diffusion and steady drifts grow by less; a particle beyond 1e100 has escaped in any case.
    """
    final, centre = positions[-1], positions[0].mean(axis=0)
    with np.errstate(all="ignore"):
        far, before = (np.linalg.norm(x - centre, axis=1) for x in (final, positions[earlier_record(times)]))
        grown = (far > FAR * scale) & ~(far < GROWTH * before)
    return np.asarray(grown | ~np.all(np.abs(final) < HUGE, axis=1))


EXPECTED = 1e-6  # expected number of exact draws at so low a density, below which a place is impossible
ABOVE = 10.0  # a density so many times that of the quadrature shows a missed well
NOTICEABLE = 1e-3  # share of the highest density; far below it the quadrature's polynomials are rounding


class Misplaced(NamedTuple):
    """Which particles are misplaced.

    Attributes
    ----------
    impossible : array (particles,) of bool
        The density is so low that, of as many exact draws, fewer than 1e-6 are expected at such a density.
    missed : array (particles,) of bool
        The density is far above the density of the quadrature: a well was missed, so that the mean, the variance and
        the distances are wrong.
    """

    impossible: Array
    missed: Array


def misplaced(particles: ArrayLike, target: DensityTarget) -> Misplaced:
    """The particles (particles, dim) that cannot be draws of a target with a density."""
    if not isinstance(target, DensityTarget):
        raise refuse("target", target, "a target with a density, as particlegvi.target gives it")
    x = in_space(particles, target.dim)
    with np.errstate(all="ignore"):
        exact = np.atleast_1d(target.pdf(x))
    order = np.argsort(target.density, kind="stable")
    levels, shares = target.density[order], np.cumsum(target.masses[order])
    # With the next node above: the share is never too small. The support leaves out a little on each side.
    above = np.minimum(np.searchsorted(levels, exact, side="right"), len(levels) - 1)
    expected = len(x) * (shares[above] + 2.0 * target.dim * OUTSIDE)
    fitted = np.maximum(target.quadrature_pdf(x), 0.0)
    missed = (exact > ABOVE * fitted) & (exact > NOTICEABLE * levels[-1])
    return Misplaced(expected < EXPECTED, missed)


def misplaced_in_words(particles: ArrayLike, target: DensityTarget) -> str:
    """How many of the particles (particles, dim) are misplaced, and where, in one sentence; empty if there are none."""
    x = in_space(particles, target.dim)
    stray = misplaced(x, target)
    for which, reason in (
        (stray.missed, f"the quadrature of Q* missed a well there (its resolution is {target.resolution:.1e})"),
        (stray.impossible, "Q* has no mass there, and no exact draw would be there"),
    ):
        if which.any():
            where = ", ".join(f"{at:.6g}" for at in x[int(np.argmax(which))])
            return f"not at Q*: {which.sum()} of {len(x)} particles are misplaced, for example at ({where}): {reason}"
    return ""


ROUNDING = 1e-13  # of a log density, relative
NEAR = 0.05  # relative difference up to which the Gaussian value counts as right


class ExcessEnergy(NamedTuple):
    """The mean excess energy of particles, with its expectation and standard error under Q*.

    Attributes
    ----------
    mean : float
        Mean over the particles; infinite if one lies outside the target's support.
    expected : float
        Expectation under Q*, by the target's quadrature.
    standard_error : float
        Standard error of the mean of as many exact draws, at least the rounding of the log density.
    gaussian : float
        T dim/2, the mean of T chi-squared(dim)/2.
    near_gaussian : bool
        Whether ``expected`` is within five per cent of ``gaussian``, as for one mode that is nearly Gaussian.
    """

    mean: float
    expected: float
    standard_error: float
    gaussian: float
    near_gaussian: bool

    @property
    def deviation(self) -> float:
        """Difference of the mean and its expectation, in standard errors."""
        return (self.mean - self.expected) / self.standard_error if self.standard_error > 0.0 else 0.0


def excess_energy(particles: ArrayLike, target: DensityTarget, temperature: float) -> ExcessEnergy:
    """Mean excess energy of particles over the minimum of their target's potential.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density
    temperature : float
        The method's kl_weight.

    Returns
    -------
    ExcessEnergy
        In the units of the loss.
    """
    objects.target(target, density=True)
    temperature = arguments.positive("temperature", temperature)
    x = in_space(particles, target.dim)
    at = np.ascontiguousarray(target.grid.reshape(-1, target.dim))
    masses = target.masses / target.masses.sum()
    levels, own = target.log_pdf(at), target.log_pdf(x)
    top = max(float(np.max(levels)), float(np.max(own)))
    mean = float(masses @ levels)
    spread = float(np.sqrt(masses @ (levels - mean) ** 2))
    expected, gaussian = temperature * (top - mean), 0.5 * temperature * target.dim
    near = abs(expected - gaussian) <= NEAR * gaussian
    # of a flat density the levels differ by rounding alone
    error = temperature * max(spread / np.sqrt(len(x)), ROUNDING * (1.0 + abs(top)))
    return ExcessEnergy(temperature * (top - float(np.mean(own))), expected, float(error), gaussian, bool(near))
