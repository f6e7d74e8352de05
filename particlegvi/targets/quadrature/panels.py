"""Adaptive quadrature of exp(f) on the line: panels with Gauss-Legendre nodes, halved until a polynomial fits."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from particlegvi.targets.quadrature.potential import LogWeight

ORDER = 16
MOST_PANELS = 300_000


class Rule(NamedTuple):
    """Gauss-Legendre nodes and weights on [-1, 1], and the matrix from values at the nodes to Legendre coefficients."""

    nodes: np.ndarray
    weights: np.ndarray
    to_coefficients: np.ndarray


@lru_cache
def gauss_legendre(order: int) -> Rule:
    """The rule with ``order`` nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    basis = np.polynomial.legendre.legvander(nodes, order - 1)
    return Rule(nodes, weights, (basis * weights[:, None]).T * (np.arange(order) + 0.5)[:, None])


class Panels(NamedTuple):
    """A partition of an interval with a polynomial for the density exp(f - log_normaliser) on each part."""

    left: np.ndarray  # (panels,) ascending
    right: np.ndarray
    nodes: np.ndarray  # (panels, ORDER) ascending
    log_density: np.ndarray  # (panels, ORDER), normalised
    coefficients: np.ndarray  # (panels, ORDER): Legendre series of the density on [-1, 1]
    log_normaliser: float
    error: float  # estimate of the L1 error of the polynomials

    @property
    def log_volume(self) -> np.ndarray:
        """Logarithms of the quadrature weights, shaped as the nodes."""
        return np.log(0.5 * (self.right - self.left))[:, None] + np.log(gauss_legendre(ORDER).weights)


def integrate(f: LogWeight, edges: np.ndarray, log_mass: float, tolerance: float = 1e-12) -> Panels:
    """Panels on which exp(f) is a polynomial of degree 15 to within ``tolerance`` of its integral each.

    Parameters
    ----------
    f : function of an array of any shape
    edges : array, ascending
        Edges of the first panels; narrow peaks must lie near an edge.
    log_mass : float
        Logarithm of a lower bound on the mass (that of the largest peak), to which the errors of the first panels are
        compared.

    Raises
    ------
    ValueError
        If f oscillates too finely to be resolved.
    """
    rule = gauss_legendre(ORDER)
    left, right = edges[:-1], edges[1:]
    parent = np.full(len(left), np.inf)  # error of the panel that was halved, relative to exp(shift)
    done: list[tuple[np.ndarray, ...]] = []
    shift = log_mass
    while len(left):
        half = 0.5 * (right - left)
        nodes = np.clip((left + half)[:, None] + half[:, None] * rule.nodes, left[:, None], right[:, None])
        level = f(nodes)
        larger = _larger(shift, level, half, rule.weights)
        parent, shift = parent * np.exp(shift - larger), larger
        density = np.exp(level - shift) * half[:, None]
        coefficients = density @ rule.to_coefficients.T
        error = np.abs(coefficients[:, -2:]).sum(axis=1)
        # Rounding in f is recognised by an error that halving does not reduce; panels of a few floats are not halved.
        rounding = (error < 1e-8 * (density @ rule.weights)) & (error > 0.3 * parent)
        narrow = half < 16.0 * np.finfo(float).eps * np.maximum(np.abs(left), np.abs(right))
        fine = (error <= tolerance) | rounding | narrow
        done.append((left[fine], right[fine], nodes[fine], level[fine], np.log(error[fine] + 1e-300) + shift))
        middle, parent = (left + half)[~fine], np.tile(error[~fine], 2)
        left, right = np.concatenate([left[~fine], middle]), np.concatenate([middle, right[~fine]])
        if sum(len(part[0]) for part in done) + len(left) > MOST_PANELS:
            raise ValueError(f"the target needs more than {MOST_PANELS} panels: the loss oscillates too finely")
    return _assemble(done)


def _larger(shift: float, level: np.ndarray, half: np.ndarray, weights: np.ndarray) -> float:
    """The larger of ``shift`` and of the logarithm of the mass in these panels."""
    top = float(np.max(level))
    if not top > -np.inf:
        return shift
    mass = float(np.sum((np.exp(level - top) @ weights) * half))
    return max(shift, top + np.log(mass)) if mass > 0.0 else shift


def _assemble(done: list[tuple[np.ndarray, ...]]) -> Panels:
    left, right, nodes, level, log_error = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(left)
    left, right, nodes, level = left[order], right[order], nodes[order], level[order]
    rule = gauss_legendre(ORDER)
    top = np.max(level)
    mass = (np.exp(level - top) @ rule.weights) * 0.5 * (right - left)
    log_normaliser = float(top + np.log(np.sum(mass)))
    log_density = level - log_normaliser
    coefficients = np.exp(log_density) @ rule.to_coefficients.T
    error = float(np.sum(np.exp(log_error - log_normaliser)))
    return Panels(left, right, nodes, log_density, coefficients, log_normaliser, error)
