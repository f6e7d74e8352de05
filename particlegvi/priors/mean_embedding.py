"""The kernel mean embedding of a prior, mu_P(x) = E kappa(x, T) for T distributed as P, as a term for the engine.

The engine subtracts ``lambda1 * gradient`` of it in the drift's potential V (thesis, 5.4.3): particles are drawn to
where the prior's own samples would be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Kernel, Located, Prior, Term
from particlegvi.engine.terms.constant import Constant
from particlegvi.priors.flat import Flat
from particlegvi.priors.gaussian_sums import Smoothing, gaussian_sum
from particlegvi.priors.weighted_points import PANELS, Discretised, monte_carlo, quadrature
from particlegvi.tools import arguments, parts
from particlegvi.tools.arguments import whole

WAYS = ("auto", "closed-form", "quadrature", "monte-carlo")


class Embedding(NamedTuple):
    """A mean embedding, with its description and its error.

    Attributes
    ----------
    term : NamedTuple
        ``value`` and ``gradient`` are mu_P and its gradient, the kernel's variance included.
    description : str
        One phrase on the method and its error.
    error : float
        Zero for a closed form (rounding apart), a bound for the quadrature, a standard error for Monte Carlo.
    """

    term: Term
    description: str
    error: float


def embedding(prior: Prior, kernel: Kernel, how: str = "auto", samples: int = 200, seed: int = 0) -> Embedding:
    """The mean embedding of a prior under a kernel.

    Parameters
    ----------
    prior : Normal, Uniform or Flat
        Or any prior with the same attributes.
    kernel : kernel
        With a number for its lengthscale: rules are resolved before.
    how : str
        "closed-form" (squared-exponential kernel; a constant for Flat); "quadrature" (a sum of Gaussians, each in
        closed form, for kernels with a ``mixing_density``, otherwise nodes in one or two dimensions); "monte-carlo"
        (thesis, C.125: prior samples that stay as they are); or "auto", the first of these that applies.
    samples : int
        Number of prior samples for Monte Carlo; the thesis states 20, its code used 200.
    seed : int
        Seed of these samples.

    Returns
    -------
    Embedding

    Raises
    ------
    ValueError
        If ``how`` is not one of these, does not apply, or the kernel's lengthscale is still a rule.
    """
    parts.part("prior", prior, Prior, parts.PRIOR, without="gradient term")
    if not isinstance(how, str) or how not in WAYS:
        raise arguments.refuse("embedding", how, f"one of {', '.join(WAYS)}")
    parts.kernel_or_rule(kernel)
    if isinstance(kernel.lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number for an embedding, not "{kernel.lengthscale}"')
    if isinstance(prior, Flat):
        # (C.129)-(C.131): it does not depend on x. Zero is its limit over growing uniform boxes.
        return Embedding(Constant(0.0), "constant, because the prior is flat", 0.0)
    if how == "monte-carlo":
        return _monte_carlo(prior, kernel, whole("samples", samples, 1), seed)
    name = kernel.name
    smoothing = prior if isinstance(prior, Smoothing) else None
    gaussians = None if smoothing is None else gaussian_sum(kernel)
    if smoothing is not None and gaussians is not None and gaussians.exact and how != "quadrature":
        term = smoothing.smooth(gaussians.lengthscales, gaussians.weights)
        error = _smooth_error(prior) * kernel.variance
        form = f"mixture of Gaussians, error at most {error:.0e}," if error else "closed form"
        return Embedding(term, f"{form} for the {prior.name} prior and the {name} kernel", error)
    if how == "closed-form":
        raise ValueError(
            'embedding must be "auto", "quadrature" or "monte-carlo", not "closed-form", which the '
            f"{prior.name} prior and the {name} kernel do not have"
        )
    if smoothing is not None and gaussians is not None and not gaussians.exact:
        term = smoothing.smooth(gaussians.lengthscales, gaussians.weights)
        errors = f"error at most {gaussians.error:.1e}, of the gradient {gaussians.slope_error:.1e}"
        number = len(gaussians.weights)
        return Embedding(term, f"quadrature, {number} Gaussians for the {name} kernel: {errors}", gaussians.error)
    located = isinstance(prior, Located | Discretised) or np.all(np.isfinite(prior.high) & np.isfinite(prior.low))
    if prior.dim in PANELS and located:
        term, error = quadrature(prior, kernel)
        return Embedding(term, f"quadrature with {len(term.weights)} nodes: error about {error:.1e}", error)
    if how == "quadrature":
        raise ValueError(
            f'embedding must be "auto" or "monte-carlo", not "quadrature", which the {prior.name} prior and the {name} '
            f"kernel do not have in {prior.dim} dimensions"
        )
    return _monte_carlo(prior, kernel, whole("samples", samples, 1), seed)


def _smooth_error(prior: Prior) -> float:
    """The error of a prior's ``smooth`` for a kernel of variance 1: 0 for a closed form."""
    return float(vars(type(prior)).get("smooth_error", 0.0))


def _monte_carlo(prior: Prior, kernel: Kernel, samples: int, seed: int) -> Embedding:
    term, error = monte_carlo(prior, kernel, samples, seed)
    how = f"Monte Carlo with {samples} prior samples (seed {seed}): standard error at most about {error:.1e}"
    return Embedding(term, how, error)
