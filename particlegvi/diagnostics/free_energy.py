"""The free energy of particles and of a target, with its three terms, and the entropy of particles.

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P)

It decreases along the flow and tends to L(Q*), which `target_free_energy` computes.

The entropy of particles is estimated by spacings on the line, and by nearest neighbours otherwise. Both average the
logarithm of the volume between a few neighbours, minus the expectation of this logarithm for a constant density. They
are unbiased for a uniform distribution (nearest neighbours except at its edges). For a smooth density the bias is
smaller than the standard error: much smaller on the line, half of it for a curved density in the plane. At the walls of
a box nearest neighbours overestimate the entropy, in the plane by 0.1 for 300 particles and 0.02 for 2000.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel, Loss, Method, Prior, Term
from particlegvi.diagnostics.particles import in_space, some
from particlegvi.engine.pairs.direct import pair_energy
from particlegvi.engine.terms.evaluate import values
from particlegvi.kernels import resolve
from particlegvi.priors import Flat, Normal, Uniform, embedding
from particlegvi.priors.gaussian_sums import gaussian_sum
from particlegvi.targets import DensityTarget
from particlegvi.tools import arguments, objects
from particlegvi.tools.calls import shares_parameters

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

    The entropy is estimated by `entropy`: from spacings on the line, from nearest neighbours
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
        squared = mmd_squared_to_prior(x, resolve(method.kernel, prior, None, seed)[0], prior, seed)
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


def mmd_squared_to_prior(x: Array, kernel: Kernel, prior: Prior, seed: int = 0) -> float:
    """Unbiased estimate of MMD^2(Q, P) from two or more particles (n, dim) of Q and the mean embedding of the prior P.

    ``mean over pairs i != j of kappa(x_i, x_j) - 2 mean of mu_P(x_i) + E mu_P(T)`` with T from P. It may be negative.
    At most 20,000 particles enter the sum over pairs, evenly spaced in their order. With a Flat prior only this sum
    remains.
    """
    paired = some(x, MOST_PAIRED)
    number = len(paired)
    pairs = (number * pair_energy(kernel, paired) - float(kernel.value(0.0))) / (number - 1.0)
    mean = embedding(prior, kernel).term  # made once: that of a kernel of one's own takes long
    return pairs - 2.0 * float(np.mean(values(mean, x))) + prior_self_energy(prior, kernel, seed, mean)


def prior_self_energy(prior: Prior, kernel: Kernel, seed: int = 0, mean: Term | None = None) -> float:
    """``E kappa(T, T')`` for independent T and T' from the prior; 0 for Flat, whose mu_P is 0 as well.

    A closed form for Normal and Uniform priors and kernels that are sums of Gaussians. For one of lengthscale s, in
    each coordinate: s / sqrt(s^2 + 2 sd^2) for Normal, and with w = width/s, sqrt(2 pi)/w erf(w/sqrt 2) -
    2 (1 - exp(-w^2/2))/w^2 for Uniform. Otherwise the mean embedding's average over 4000 prior samples, from the term
    ``mean`` where it is known.
    """
    if isinstance(prior, Flat):
        return 0.0
    gaussians = gaussian_sum(kernel)
    if gaussians is None or not isinstance(prior, Normal | Uniform):
        at = prior.sample(SELF_ENERGY_SAMPLES, seed=seed, role="prior")
        return float(np.mean(values(embedding(prior, kernel).term if mean is None else mean, at)))
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


NEIGHBOURS = 3
CHUNK = 200_000


def entropy(particles: ArrayLike) -> tuple[float, str]:
    """Entropy in nats and the name of the estimator: spacings on the line, else nearest neighbours.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two.

    Returns
    -------
    float
        In nats; minus infinity where too many particles coincide.
    str
        "spacings" or "nearest neighbours".
    """
    x = in_space(particles)
    if len(x) < 2:
        raise ValueError("particles must be at least two for an entropy, not one")
    if x.shape[1] == 1:
        return spacings(x[:, 0]), "spacings"
    return nearest_neighbours(x), "nearest neighbours"


def spacings(x: Array) -> float:
    """Entropy -E log q of two or more particles on the line (n,), from the gaps between ordered particles, in nats.

    ``mean over i of [log(x_(i+m) - x_(i-m)) - psi(k_i)] + psi(n + 1)``, with psi the digamma function, indices cut off
    at 1 and n, and k_i the number of gaps spanned: Vasicek's estimator (1976, J. R. Statist. Soc. B 38, 54-59), with
    the ends counted as in Ebrahimi, Pflughoeft and Soofi (1994) and the mean of the logarithm of a uniform spacing,
    psi(k) - psi(n + 1), in place of log(k/n) (Cressie, 1976). Here m is 3.
    """
    from scipy.special import digamma

    x = np.sort(x)
    n = len(x)
    index = np.arange(n)
    low, high = np.maximum(index - NEIGHBOURS, 0), np.minimum(index + NEIGHBOURS, n - 1)
    with np.errstate(divide="ignore"):
        logs = np.log(x[high] - x[low])
    return float(np.mean(logs - digamma(high - low)) + digamma(n + 1))


def nearest_neighbours(x: Array) -> float:
    """Entropy -E log q of two or more particles (n, dim), from the distances to their third nearest neighbours.

    ``psi(n) - psi(k) + log(volume of the unit ball) + dim/n sum_i log(distance_i)`` (Kozachenko and Leonenko, 1987,
    Probl. Inf. Transm. 23, 95-101; for k > 1 Kraskov, Stoegbauer and Grassberger, 2004, equation 20).
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    n, dim = x.shape
    k = min(NEIGHBOURS, n - 1)
    tree = cKDTree(x)
    with np.errstate(divide="ignore"):
        total = sum(
            float(np.sum(np.log(tree.query(x[start : start + CHUNK], k=[k + 1])[0]))) for start in range(0, n, CHUNK)
        )
    ball = 0.5 * dim * math.log(math.pi) - math.lgamma(0.5 * dim + 1.0)
    return float(digamma(n) - digamma(k) + ball + dim * total / n)
