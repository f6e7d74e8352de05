"""How far above the bottom of their potential particles lie, beside what their temperature allows.

At equilibrium log q* = -U/T + const with T = kl_weight, where U = loss - T log p for DLE; for DRLE the mean field of
the other particles is part of U. The excess U(x) - min U = T (max log q* - log q*(x)) of exact draws has the mean
T (max log q* - E log q*). Near one Gaussian mode 2/T times it is chi-squared with dim degrees of freedom: its mean is
T dim/2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments, parts

NEAR = 0.05


class ExcessEnergy(NamedTuple):
    """The mean excess energy of particles, and what to compare it with.

    Attributes
    ----------
    mean : float
        Of the particles; infinite where one lies outside the target's support.
    expected : float
        Under Q*, by the target's quadrature.
    standard_error : float
        Of the mean of as many exact draws.
    gaussian : float
        T dim/2, the mean of T chi-squared(dim)/2.
    near_gaussian : bool
        Whether ``expected`` is within five per cent of that: whether one near-Gaussian mode makes it right.
    """

    mean: float
    expected: float
    standard_error: float
    gaussian: float
    near_gaussian: bool

    @property
    def deviation(self) -> float:
        """How many standard errors the mean lies above what is expected."""
        return (self.mean - self.expected) / self.standard_error if self.standard_error > 0.0 else 0.0


def excess_energy(particles: ArrayLike, target: Any, temperature: float) -> ExcessEnergy:
    """Excess energy of particles over the lowest point of their target's potential.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density
    temperature : float
        kl_weight.

    Returns
    -------
    ExcessEnergy
        In the units of the loss.

    Raises
    ------
    ValueError
        If the target has no density or the dimensions differ.
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
