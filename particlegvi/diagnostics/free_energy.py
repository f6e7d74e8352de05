"""The free energy of particles and of a target, with its three terms, and the excess energy of particles.

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P)

It decreases along the flow and tends to L(Q*), which `target_free_energy` computes.

The excess energy is the height of particles above the minimum of their potential. At equilibrium
log q* = -U/T + const with T = kl_weight, where U = loss - T log p for DLE; for DRLE the mean field of the other
particles is part of U. The excess U(x) - min U = T (max log q* - log q*(x)) of exact draws has the mean
T (max log q* - E log q*). Near one Gaussian mode 2/T times it is chi-squared with dim degrees of freedom: its mean is
T dim/2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel, Loss, Method, Prior
from particlegvi.diagnostics.entropy import entropy
from particlegvi.diagnostics.particles import in_space, some
from particlegvi.engine.pairs.direct import pair_energy
from particlegvi.engine.terms.evaluate import values
from particlegvi.kernels import resolve
from particlegvi.priors import Flat, Normal, Uniform, embedding
from particlegvi.priors.gaussian_sums import gaussian_sum
from particlegvi.targets import DensityTarget
from particlegvi.tools import arguments, objects
from particlegvi.tools.docstrings import shares_parameters

MOST_PAIRED = 20_000
SELF_ENERGY_SAMPLES = 4000


class FreeEnergyParts(NamedTuple):
    """L(Q) and its terms, which may be infinite.

    With a Flat prior, which is not a probability, KL is minus the entropy and MMD^2 the mean of the kernel over pairs
    of particles: both are defined up to a constant.
    """

    total: float
    mean_loss: float
    mmd_part: float  # mmd_weight MMD^2
    kl_part: float  # kl_weight KL
    mmd_squared: float  # 0 if the weight is 0
    kl_divergence: float  # 0 if the weight is 0
    entropy_estimator: str  # "spacings", "nearest neighbours", "quadrature", or "" if the weight is 0


def free_energy(
    particles: ArrayLike,
    loss: Loss,
    method: Method,
    prior: Prior | None = None,
    seed: int = 0,
) -> FreeEnergyParts:
    """Estimate of L(Q) of the distribution Q that particles are drawn from.

    The entropy is estimated by `particlegvi.diagnostics.entropy`: from spacings on the line, from nearest neighbours
    otherwise. The sum over pairs leaves out the self pairs (Gretton et al., 2012, Lemma 6, in its first argument): with
    them the MMD^2 of the particles exceeds the MMD^2 of Q by (kappa(0) - E kappa)/N on average.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two if kl_weight or mmd_weight is not zero.
    loss : Loss
    method : method
        Its weights and its kernel are used.
    prior : prior, optional
        Flat when left out.
    seed : int
        Seed of the run, for a lengthscale that a rule chooses from prior samples.
    """
    x = in_space(particles, int(objects.loss(loss).dim))
    objects.method(method)
    seed, prior = arguments.seed(seed), _prior(prior, loss)
    kl_weight, mmd_weight = float(method.kl_weight), float(method.mmd_weight)
    squared, divergence, estimator = 0.0, 0.0, ""
    if len(x) < 2 and (kl_weight or mmd_weight):
        raise ValueError("particles must be at least two for a free energy with kl_weight or mmd_weight, not one")
    if mmd_weight:
        squared = mmd_squared_to_prior(x, resolve(method.kernel, prior, None, seed)[0], prior)
    if kl_weight:
        disorder, estimator = entropy(x)
        divergence = -disorder - float(np.mean(prior.log_density(x)))
    return _parts(float(np.mean(loss.value(x))), mmd_weight, squared, kl_weight, divergence, estimator)


@shares_parameters(free_energy)
def target_free_energy(
    target: DensityTarget, loss: Loss, method: Method, prior: Prior | None = None, seed: int = 0
) -> FreeEnergyParts:
    """L(Q*) by the quadrature of the target.

    For DRLE the interaction follows from the equation lambda1 kappa * q = -V - lambda2 (log q + log Z) of Q*, so that
    no double integral is needed and the error is of the order of the target's ``residual``.

    Parameters
    ----------
    target : target
        Target of a DLE or DRLE with this loss, method and prior.
    """
    objects.target(target, density=True, dim=objects.loss(loss).dim)
    objects.method(method)
    seed, prior = arguments.seed(seed), _prior(prior, loss)
    kl_weight, mmd_weight = float(method.kl_weight), float(method.mmd_weight)
    at, masses = np.ascontiguousarray(target.grid.reshape(-1, loss.dim)), target.masses / target.masses.sum()
    log_density, log_prior = target.log_pdf(at), prior.log_density(at)
    mean_loss = float(masses @ loss.value(at))
    divergence = float(masses @ (log_density - log_prior))
    squared = 0.0
    if mmd_weight:
        kernel = resolve(method.kernel, prior, None, seed)[0]
        attraction = float(masses @ values(embedding(prior, kernel).term, at))
        potential = mean_loss - 2.0 * mmd_weight * attraction - kl_weight * float(masses @ log_prior)
        interaction = -potential - kl_weight * (float(masses @ log_density) + target.log_normaliser)
        squared = interaction / (2.0 * mmd_weight) - 2.0 * attraction + prior_self_energy(prior, kernel, seed)
    return _parts(mean_loss, mmd_weight, squared, kl_weight, divergence, "quadrature")


def mmd_squared_to_prior(x: Array, kernel: Kernel, prior: Prior) -> float:
    """Unbiased estimate of MMD^2(Q, P) from two or more particles (n, dim) of Q and the mean embedding of the prior P.

    ``mean over pairs i != j of kappa(x_i, x_j) - 2 mean of mu_P(x_i) + E mu_P(T)`` with T from P. It may be negative.
    At most 20,000 particles enter the sum over pairs, evenly spaced in their order. With a Flat prior only this sum
    remains.
    """
    paired = some(x, MOST_PAIRED)
    number = len(paired)
    pairs = (number * pair_energy(kernel, paired) - float(kernel.value(0.0))) / (number - 1.0)
    attraction = float(np.mean(values(embedding(prior, kernel).term, x)))
    return pairs - 2.0 * attraction + prior_self_energy(prior, kernel)


def prior_self_energy(prior: Prior, kernel: Kernel, seed: int = 0) -> float:
    """``E kappa(T, T')`` for independent T and T' from the prior; 0 for Flat, whose mu_P is 0 as well.

    A closed form for Normal and Uniform priors and kernels that are sums of Gaussians. For one of lengthscale s, in
    each coordinate: s / sqrt(s^2 + 2 sd^2) for Normal, and with w = width/s, sqrt(2 pi)/w erf(w/sqrt 2) -
    2 (1 - exp(-w^2/2))/w^2 for Uniform. Otherwise the mean embedding's average over 4000 prior samples.
    """
    if isinstance(prior, Flat):
        return 0.0
    gaussians = gaussian_sum(kernel)
    if gaussians is None or not isinstance(prior, Normal | Uniform):
        at = prior.sample(SELF_ENERGY_SAMPLES, seed=seed, role="prior")
        return float(np.mean(values(embedding(prior, kernel).term, at)))
    scale = gaussians.lengthscales[:, None]
    factors = _overlap_normal(scale, prior.sd) if isinstance(prior, Normal) else _overlap_uniform(scale, prior)
    return float(gaussians.weights @ factors.prod(axis=1))


def _overlap_normal(scale: Array, sd: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1.0 / np.sqrt(1.0 + 2.0 * (sd / scale) ** 2)


def _overlap_uniform(scale: Array, prior: Uniform) -> Array:
    from scipy.special import erf

    with np.errstate(over="ignore"):
        w = (prior.high - prior.low) / scale
        square = np.maximum(w * w, 1e-300)
        exact = math.sqrt(2.0 * math.pi) / w * erf(w / math.sqrt(2.0)) + 2.0 * np.expm1(-0.5 * square) / square
    return np.where(w < 1e-3, 1.0 - square / 12.0, exact)


def _parts(
    mean_loss: float, mmd_weight: float, squared: float, kl_weight: float, divergence: float, estimator: str
) -> FreeEnergyParts:
    mmd_part = mmd_weight * squared if mmd_weight else 0.0
    kl_part = kl_weight * divergence if kl_weight else 0.0
    return FreeEnergyParts(mean_loss + mmd_part + kl_part, mean_loss, mmd_part, kl_part, squared, divergence, estimator)


def _prior(prior: Prior | None, loss: Loss) -> Prior:
    if prior is None:
        return Flat(int(loss.dim))
    objects.same_dim("prior", objects.prior(prior).dim, loss.dim)
    return prior


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
