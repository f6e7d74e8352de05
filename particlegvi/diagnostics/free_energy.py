"""The free energy of particles and of a target, in its three parts.

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P)

It falls along the flow and tends to L(Q*), for which `target_free_energy` gives the number.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.diagnostics.entropy import entropy
from particlegvi.diagnostics.particles import in_space, some
from particlegvi.tools import arguments, parts

MOST_PAIRED = 20_000
SELF_ENERGY_SAMPLES = 4000


class FreeEnergyParts(NamedTuple):
    """L(Q) and what it is made of; infinite where a part is.

    With a Flat prior, which is no probability, KL is minus the entropy and MMD^2 the kernel's mean over pairs of
    particles: both are known up to a constant only.
    """

    total: float
    mean_loss: float
    mmd_part: float  # mmd_weight MMD^2
    kl_part: float  # kl_weight KL
    mmd_squared: float  # zero where the weight is
    kl_divergence: float  # zero where the weight is
    entropy_estimator: str  # "spacings", "nearest neighbours", "quadrature", or "" where the entropy has no weight


def free_energy(
    particles: ArrayLike, loss: Any, method: Any, prior: Any = None, seed: int = 0, most_paired: int = MOST_PAIRED
) -> FreeEnergyParts:
    """L(Q) of the law that particles are drawn from.

    The entropy is `particlegvi.diagnostics.entropy`'s: spacings on the line, nearest neighbours otherwise. The sum over
    pairs leaves out the self pairs (Gretton et al., 2012, Lemma 6, in its first argument), because the particles' own
    MMD^2, with them, lies above that of their law by (kappa(0) - E kappa)/N.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two where kl_weight or mmd_weight is not zero.
    loss : Loss
    method : method
        Its weights count, and its kernel.
    prior : prior, optional
        Flat when left out.
    seed : int
        Of a lengthscale that a rule chooses from prior samples: that of the run.
    most_paired : int
        Of more particles than this, so many of them, evenly spaced in their order, make the sum over pairs.

    Returns
    -------
    FreeEnergyParts

    Raises
    ------
    ValueError
        If the particles do not fit the loss or are too few.
    """
    x = in_space(particles, int(parts.loss(loss).dim))
    parts.weighted(method)
    seed, most_paired = arguments.seed(seed), _most(most_paired)
    prior = _prior(prior, loss)
    kl_weight, mmd_weight = float(method.kl_weight), float(getattr(method, "mmd_weight", 0.0))
    squared, divergence, estimator = 0.0, 0.0, ""
    if len(x) < 2 and (kl_weight or mmd_weight):
        raise ValueError("particles are fewer than two; a free energy with kl_weight or mmd_weight needs at least two")
    if mmd_weight:
        squared = mmd_squared_to_prior(x, _kernel(method, prior, seed), prior, most_paired)
    if kl_weight:
        disorder, estimator = entropy(x)
        divergence = -disorder - float(np.mean(prior.log_density(x)))
    return _parts(float(np.mean(loss.value(x))), mmd_weight, squared, kl_weight, divergence, estimator)


def target_free_energy(target: Any, loss: Any, method: Any, prior: Any = None, seed: int = 0) -> FreeEnergyParts:
    """L(Q*) by the quadrature of the target.

    For DRLE the interaction is read off the equation lambda1 kappa * q = -V - lambda2 (log q + log Z) of Q*, so that
    no double integral is needed and the error is of the order of the target's ``residual``.

    Parameters
    ----------
    target : target
        Of a DLE or DRLE with this loss, method and prior.
    loss, method, prior, seed
        As for `free_energy`.

    Returns
    -------
    FreeEnergyParts

    Raises
    ------
    ValueError
        If the target has no density.
    """
    parts.target(target, density=True, dim=parts.loss(loss).dim)
    parts.weighted(method)
    seed = arguments.seed(seed)
    from particlegvi.engine.terms.evaluate import values
    from particlegvi.priors import embedding

    prior = _prior(prior, loss)
    kl_weight, mmd_weight = float(method.kl_weight), float(getattr(method, "mmd_weight", 0.0))
    at, masses = np.ascontiguousarray(target.grid.reshape(-1, loss.dim)), target.masses / target.masses.sum()
    log_density, log_prior = target.log_pdf(at), prior.log_density(at)
    mean_loss = float(masses @ loss.value(at))
    divergence = float(masses @ (log_density - log_prior))
    squared = 0.0
    if mmd_weight:
        kernel = _kernel(method, prior, seed)
        attraction = float(masses @ values(embedding(prior, kernel).term, at))
        potential = mean_loss - 2.0 * mmd_weight * attraction - kl_weight * float(masses @ log_prior)
        interaction = -potential - kl_weight * (float(masses @ log_density) + target.log_normaliser)
        squared = interaction / (2.0 * mmd_weight) - 2.0 * attraction + prior_self_energy(prior, kernel, seed)
    return _parts(mean_loss, mmd_weight, squared, kl_weight, divergence, "quadrature")


def mmd_squared_to_prior(particles: ArrayLike, kernel: Any, prior: Any, most_paired: int = MOST_PAIRED) -> float:
    """Estimate of MMD^2(Q, P) without bias, from particles of Q and the prior P's mean embedding.

    ``mean over pairs i != j of kappa(x_i, x_j) - 2 mean of mu_P(x_i) + E mu_P(T)`` with T from P. It may be negative.

    Parameters
    ----------
    particles : array (n, dim), at least two
    kernel : kernel with a number for its lengthscale
    prior : prior
        With Flat, only the sum over pairs is left.
    most_paired : int
        As for `free_energy`.

    Returns
    -------
    float
    """
    from particlegvi.engine.pairs.direct import pair_energy
    from particlegvi.engine.terms.evaluate import values
    from particlegvi.priors import embedding

    parts.kernel(kernel)
    x = in_space(particles, parts.prior(prior).dim)
    paired = some(x, _most(most_paired))
    if len(paired) < 2:
        raise ValueError("particles are fewer than two; an unbiased MMD^2 needs at least two")
    number = len(paired)
    pairs = (number * pair_energy(kernel, paired) - float(kernel.value(0.0))) / (number - 1.0)
    attraction = float(np.mean(values(embedding(prior, kernel).term, x)))
    return pairs - 2.0 * attraction + prior_self_energy(prior, kernel)


def prior_self_energy(prior: Any, kernel: Any, seed: int = 0) -> float:
    """``E kappa(T, T')`` for independent T and T' with the prior's law; 0 for Flat, whose mu_P is 0 as well.

    In closed form for Normal and Uniform priors and kernels that are sums of Gaussians. For one of lengthscale s and in
    each coordinate: s / sqrt(s^2 + 2 sd^2) for Normal, and with w = width/s, sqrt(2 pi)/w erf(w/sqrt 2) -
    2 (1 - exp(-w^2/2))/w^2 for Uniform. Otherwise the mean embedding's average over 4000 prior samples.
    """
    from particlegvi.engine.terms.evaluate import values
    from particlegvi.priors import embedding
    from particlegvi.priors.gaussian_sums import gaussian_sum

    parts.kernel(kernel)
    seed = arguments.seed(seed)
    if parts.prior(prior).name == "flat":
        return 0.0
    gaussians = gaussian_sum(kernel)
    if gaussians is None or prior.name not in ("normal", "uniform"):
        at = prior.sample(SELF_ENERGY_SAMPLES, seed=seed, role="prior")
        return float(np.mean(values(embedding(prior, kernel).term, at)))
    scale = gaussians.lengthscales[:, None]
    factors = _overlap_normal(scale, prior.sd) if prior.name == "normal" else _overlap_uniform(scale, prior)
    return float(gaussians.weights @ factors.prod(axis=1))


def _overlap_normal(scale: NDArray[np.float64], sd: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return 1.0 / np.sqrt(1.0 + 2.0 * (sd / scale) ** 2)


def _overlap_uniform(scale: NDArray[np.float64], prior: Any) -> NDArray[np.float64]:
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


def _prior(prior: Any, loss: Any) -> Any:
    if prior is not None:
        parts.same_dim("prior", parts.prior(prior).dim, loss.dim)
        return prior
    from particlegvi.priors import Flat

    return Flat(int(loss.dim))


def _most(paired: int) -> int:
    return arguments.whole("most_paired", paired, 2, arguments.MOST_PARTICLES)


def _kernel(method: Any, prior: Any, seed: int) -> Any:
    from particlegvi.kernels import resolve

    return resolve(method.kernel, prior, None, seed)[0]
