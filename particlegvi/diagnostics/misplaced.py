"""Misplaced particles: at places where the target has no mass, or in a well that its quadrature missed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import in_space
from particlegvi.targets.density import OUTSIDE, DensityTarget
from particlegvi.tools.quoting import refuse

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
