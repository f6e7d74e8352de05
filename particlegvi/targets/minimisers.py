"""The targets of the methods with noise: DLE's Gibbs density and DRLE's fixed point.

DRLE's Q* is the density with q = exp(-(V + lambda1 kappa * q) / lambda2) / Z, V = loss - lambda1 mu_P - lambda2 log p.
Writing r for lambda1/lambda2 and phi for -loss/lambda2 + log p, it is q = exp(phi + r (mu_P - kappa * q)) / Z, where
the q inside the convolution is normalised too (the thesis's (C.128), normalised afterwards, solves another problem).
The quadrature is adapted to the densities found so far and the fixed point solved at its nodes, mostly once; the
residual is measured on new nodes, adapted to the solution.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from particlegvi.contracts import Kernel, Loss, Prior, Term
from particlegvi.engine.terms.evaluate import values
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.priors import embedding
from particlegvi.priors.weighted_points import WeightedPoints
from particlegvi.targets.density import NOTABLE, DensityTarget
from particlegvi.targets.fixed_point import image, solve
from particlegvi.targets.quadrature.mesh import MeshInteraction
from particlegvi.targets.quadrature.missed import Certifier
from particlegvi.targets.quadrature.nodes import Nodes, discretise
from particlegvi.targets.quadrature.potential import Domain, LogWeight, domain_of, gibbs_log_weight, log_density_formula

UNCERTAIN = 0.05  # the sharpest places are searched again if bounds allow that more of the mass is missed
CERTAINLY = 1e-5  # or if more of the mass is proven to be missed
MOST_SEARCHES = 3


def gibbs(loss: Loss, prior: Prior, kl_weight: float) -> DensityTarget:
    """DLE's Q*: density proportional to exp(-loss/kl_weight) p (thesis C.76; (2.4) has p^lambda, which is wrong)."""
    log_weight = gibbs_log_weight(loss, prior, kl_weight)
    domain, known, missed = _searched(loss, prior, kl_weight)
    nodes = discretise(log_weight, domain) if known is None else known
    log_density = partial(_above, log_weight, nodes.log_normaliser)
    return DensityTarget(
        log_density, nodes, domain, nodes.error, nodes.error, log_normaliser=nodes.log_normaliser, missed=missed
    )


def _above(log_weight: LogWeight, level: float, x: np.ndarray) -> np.ndarray:
    return log_weight(x) - level


def repulsive(loss: Loss, prior: Prior, kl_weight: float, mmd_weight: float, kernel: Kernel) -> DensityTarget:
    """DRLE's Q*: the minimiser of E loss + mmd_weight MMD^2 + kl_weight KL (thesis 5.4.3).

    The mean embedding mu_P is exact (or a quadrature to 1e-9), even where a run estimates it by Monte Carlo: Q* is the
    minimiser of the objective itself.
    """
    strength, (domain, _, share) = 2.0 * mmd_weight / kl_weight, _searched(loss, prior, kl_weight)
    attraction = attraction_of(embedding(prior, kernel).term, kernel, strength)
    problem = FixedPointProblem(gibbs_log_weight(loss, prior, kl_weight), attraction, kernel, strength, domain)
    solution = problem.solve()
    nodes = solution.nodes
    change = nodes.log_normaliser  # correction: the density was normalised on the nodes of the solver
    log_density = partial(_above, solution.log_density, change)
    residual, error = solution.residual + nodes.error, solution.bound + nodes.error
    missed = None if share is None else _under_repulsion(share, strength * kernel.variance)
    total = solution.log_normaliser + change
    return DensityTarget(log_density, nodes, domain, residual, error, log_normaliser=total, missed=missed)


def _under_repulsion(share: float, most: float) -> float | None:
    """A bound on the missed mass of DRLE's Q* where DLE may miss some; None elsewhere.

    r (mu_P - kappa * q) is between -most and most, so that the odds of a missed well grow by exp(2 most) at most.
    """
    return float(expit(logit(share) + 2.0 * most)) if share > NOTABLE else None


class Searched(NamedTuple):
    """The domain of a density with the wells that its survey misses, its quadrature, and `Missed.share`."""

    domain: Domain
    nodes: Nodes | None = None
    share: float | None = None


def _searched(loss: Loss, prior: Prior, kl_weight: float) -> Searched:
    """The search for the mass of exp(-loss/kl_weight) p.

    Only a formula can be searched without a gap: there is no quadrature for other losses and priors, and no share.
    """
    domain, log_weight = domain_of(prior), gibbs_log_weight(loss, prior, kl_weight)
    certify = certifier(loss, prior, kl_weight, domain)
    if certify is None:
        return Searched(domain)
    nodes = discretise(log_weight, domain)
    missed = certify.missed(nodes)
    for _ in range(MOST_SEARCHES):
        if (missed.share <= UNCERTAIN and missed.least <= 1.0 + CERTAINLY) or not missed.wells:
            break
        domain = domain._replace(wells=(*domain.wells, *missed.wells))
        nodes = discretise(log_weight, domain)
        missed = certify.missed(nodes)
    return Searched(domain, nodes, missed.share)


def certifier(loss: Loss, prior: Prior, kl_weight: float, domain: Domain) -> Certifier | None:
    """The certifier of ``-loss/kl_weight + log p``; None if the loss or the prior is no formula."""
    text = log_density_formula(loss, prior, kl_weight)
    if text is None or not isinstance(loss, PackageLoss):
        return None
    try:
        return Certifier(text, loss.variables, domain)
    except ValueError:  # the joint formula is too long, or one of its constants overflows
        return None


LOST = (1e-13, 1e-10)  # tail mass that the convolution may leave out
FAR_BELOW = 400.0  # log density below the maximum under which the repulsion is not evaluated
MOST_ATTEMPTS = 20  # adaptations of the nodes
MOST_DENSITIES = 10  # latest densities to which nodes are adapted
CLOSE = 1e-7  # residual at which a solution is accepted
BEARABLE = 1e-4  # residual at which a solution is accepted after the last attempt
TOLERANCE = {1: 1e-11, 2: 1e-8}  # of r times the kernel's interpolation error, by dimension
ROUNDING = 1e-10  # resulting error of the log density, which the quadrature does not try to resolve
ENOUGH = {1: 1e-7, 2: 1e-5}  # tolerance that is accepted where the mesh would become large


class Candidate(NamedTuple):
    """The density exp(phi + r (mu_P - field) - log_normaliser)."""

    field: LogWeight
    log_normaliser: float
    log_peak: float  # logarithm of its largest value


class Solution(NamedTuple):
    """The fixed point, nodes adapted to it, and the residual of its equation."""

    log_density: LogWeight
    nodes: Nodes
    log_normaliser: float
    residual: float  # L1 norm of q - exp(phi + r (mu_P - kappa * q)) / Z
    bound: float  # on the L1 distance to Q*


def attraction_of(term: Term, kernel: Kernel, strength: float) -> LogWeight:
    """A mean embedding at points (n, dim); in the plane a sum over many points is found by a mesh, as the repulsion is.

    Some hundred thousand nodes times some thousand points would take minutes otherwise.
    """
    if isinstance(term, WeightedPoints) and term.points.shape[1] == 2:
        with contextlib.suppress(ValueError):  # the points are too far apart for a mesh
            return MeshInteraction(kernel, term.points, *_tolerances(2, strength)).field(term.weights)
    return partial(values, term)


def _tolerances(dim: int, strength: float) -> tuple[float, float]:
    """The error of the interpolated kernel to aim at, and the largest error to accept."""
    return max(TOLERANCE[dim] / strength, 3e-14), max(ENOUGH[dim] / strength, 3e-14)


class FixedPointProblem:
    """The fixed-point problem of DRLE and its solver.

    Functions of points (n, dim) are phi, ``-loss/kl_weight + log p``, and the embedding mu_P. The lengthscale of the
    kernel is a number, ``strength`` is lambda1/lambda2 = 2 mmd_weight / kl_weight, and the domain is where mass is
    looked for.
    """

    def __init__(self, phi: LogWeight, embedding: LogWeight, kernel: Kernel, strength: float, domain: Domain) -> None:
        self.phi, self.embedding, self.kernel = phi, embedding, kernel
        self.strength, self.domain = strength, domain

    def solve(self) -> Solution:
        """The fixed point."""
        nodes = discretise(self.phi, self.domain, rough=True)
        # The first guess is the density without interaction: a field that cancels mu_P.
        pool = [Candidate(self.embedding, nodes.log_normaliser, float(np.max(nodes.log_density)))]
        for attempt in range(MOST_ATTEMPTS):
            # Nodes adapted to all densities so far: the latest may have mass where the earlier ones had none.
            nodes = discretise(self._mixture(pool[-MOST_DENSITIES:]), self.domain, ROUNDING, rough=attempt == 0)
            latest, nodes = self._spread(self._solved(nodes, pool[-2:]))
            residual, bound = self._residual(nodes)
            if residual <= CLOSE or (residual <= BEARABLE and attempt == MOST_ATTEMPTS - 1):
                return Solution(self._mixture([latest]), nodes, latest.log_normaliser, residual, bound)
            pool.append(latest)
        raise ValueError("the target's fixed point did not converge: its mass does not settle in one place")

    def _mixture(self, parts: list[Candidate]) -> LogWeight:
        """Logarithm of the sum of the densities: nodes adapted to it resolve each of them."""
        return partial(self._log_mixture, parts)

    def _log_mixture(self, parts: list[Candidate], x: np.ndarray) -> np.ndarray:
        phi = self.phi(x)
        attraction = self.embedding(x)
        upper = phi + self.strength * attraction  # an upper bound: the repulsion only lowers it
        known = np.max([upper - part.log_normaliser - part.log_peak for part in parts], axis=0)
        near = known > -FAR_BELOW
        result = np.where(near, -np.inf, upper - parts[0].log_normaliser)
        for part in parts:
            level = phi[near] + self.strength * (attraction[near] - part.field(x[near])) - part.log_normaliser
            result[near] = np.logaddexp(result[near], level)
        return result

    def _spread(self, candidate: Candidate) -> tuple[Candidate, Nodes]:
        """The density normalised over all of its support, and nodes adapted to it."""
        nodes = discretise(self._mixture([candidate]), self.domain, ROUNDING)
        total, peak = candidate.log_normaliser + nodes.log_normaliser, float(np.max(nodes.log_density))
        return Candidate(candidate.field, total, peak), nodes

    def _solved(self, nodes: Nodes, start: list[Candidate]) -> Candidate:
        """Fixed point at these nodes; the first guess is the sum of the densities in ``start``."""
        keep, interaction = self._interaction(nodes)
        points, log_volume = nodes.points[keep], nodes.log_volume[keep]
        first, _ = image(self._mixture(start)(points), log_volume, np.zeros(len(points)))
        psi = self.phi(points) + self.strength * self.embedding(points)
        solution = solve(psi, log_volume, interaction.apply, self.strength, first)
        field = interaction.field(solution.masses)
        near = nodes.log_density > np.max(nodes.log_density) - FAR_BELOW
        points = nodes.points[near]
        level = self.phi(points) + self.strength * (self.embedding(points) - field(points))
        _, log_normaliser = image(level, nodes.log_volume[near], np.zeros(len(level)))
        return Candidate(field, log_normaliser, float(np.max(level)) - log_normaliser)

    def _residual(self, nodes: Nodes) -> tuple[float, float]:
        """L1 norm of the residual at nodes adapted to the density, and the bound on its L1 error."""
        keep, interaction = self._interaction(nodes)
        masses = nodes.masses[keep]
        psi = self.phi(nodes.points[keep]) + self.strength * self.embedding(nodes.points[keep])
        mapped, _ = image(psi, nodes.log_volume[keep], self.strength * interaction.apply(masses))
        gap = mapped - masses / masses.sum()
        return float(np.abs(gap).sum()), float(np.sqrt(max(2.0 * self.strength * (gap @ interaction.apply(gap)), 0.0)))

    def _interaction(self, nodes: Nodes) -> tuple[np.ndarray, MeshInteraction]:
        tolerances = _tolerances(nodes.points.shape[1], self.strength)
        for lost in LOST:
            keep = _bulk(nodes, lost)
            try:
                return keep, MeshInteraction(self.kernel, nodes.points[keep], *tolerances)
            except ValueError:
                if lost == LOST[-1]:
                    raise
        raise AssertionError


def _bulk(nodes: Nodes, lost: float) -> np.ndarray:
    """Mask of the nodes in the box that leaves out less than ``lost`` per side, without those of negligible mass."""
    masses = nodes.masses
    keep = masses > 1e-12 * lost / len(masses)
    for i in range(nodes.points.shape[1]):
        order = np.argsort(nodes.points[:, i])
        below = np.cumsum(masses[order])
        above = np.cumsum(masses[order][::-1])[::-1]
        keep[order] &= (below > lost) & (above > lost)
    return keep
