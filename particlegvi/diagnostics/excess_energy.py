"""Excess energy: the height of particles above the minimum of their potential, compared with its value under Q*.

At equilibrium log q* = -U/T + const with T = kl_weight, where U = loss - T log p for DLE; for DRLE the mean field of
the other particles is part of U. The excess U(x) - min U = T (max log q* - log q*(x)) of exact draws has the mean
T (max log q* - E log q*). Near one Gaussian mode 2/T times it is chi-squared with dim degrees of freedom: its mean is
T dim/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments, parts

if TYPE_CHECKING:
    from particlegvi.targets.density import DensityTarget

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
        Standard error of the mean of as many exact draws.
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
    parts.target(target, density=True)
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
    error = temperature * spread / np.sqrt(len(x))
    return ExcessEnergy(temperature * (top - float(np.mean(own))), expected, float(error), gaussian, bool(near))
