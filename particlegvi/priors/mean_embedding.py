"""The kernel mean embedding of a prior, mu_P(x) = E kappa(x, T) for T distributed as P, as a term for the engine.

The engine subtracts ``lambda1 * gradient`` of it in the drift's potential V (thesis, 5.4.3): particles are drawn to
where the prior's own samples would be.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Kernel, Prior, Term
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.terms import evaluate
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.priors.flat import Flat
from particlegvi.priors.gaussian_sums import Averaging, GaussianSum, MixtureEmbedding, Smoothing, gaussian_sum
from particlegvi.priors.parameters import FromParameters
from particlegvi.priors.plane_table import PlaneTable, plane_table
from particlegvi.priors.product_table import ProductTable, fitted, product_table
from particlegvi.priors.weighted_points import PANELS, WeightedPoints, monte_carlo, quadrature
from particlegvi.tools import objects
from particlegvi.tools.arguments import refuse, whole

WAYS = ("auto", "closed-form", "quadrature", "monte-carlo")
MOST_KNOWN = 64
MOST_GAUSSIANS = 16  # the sum of so many Gaussians is as quick as a table
MOST_CENTRES = 128  # nodes of a quadrature at which panels of its table begin

_known: dict[Hashable, Embedding | None] = {}  # in this process, the latest last


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
    """
    objects.having("prior", prior, Prior, objects.PRIOR, without="gradient term")
    if not isinstance(how, str) or how not in WAYS:
        raise refuse("embedding", how, f"one of {', '.join(WAYS)}")
    objects.kernel_or_rule(kernel)
    if isinstance(kernel.lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number for an embedding, not "{kernel.lengthscale}"')
    if isinstance(prior, Flat):
        # (C.129)-(C.131): it does not depend on x. Zero is its limit over growing uniform boxes.
        return Embedding(ConstantTerm(0.0), "constant, because the prior is flat", 0.0)
    exact = None if how == "monte-carlo" else _without_draws(prior, kernel, how)
    if exact is not None:
        return exact
    term, error = monte_carlo(prior, kernel, whole("samples", samples, 1), seed)
    words = f"Monte Carlo with {samples} prior samples (seed {seed}): standard error at most about {error:.1e}"
    return Embedding(term, words, error)


def _without_draws(prior: Prior, kernel: Kernel, how: str) -> Embedding | None:
    """The embedding in closed form or by quadrature; that of parts of the package is made once in a process."""
    if from_outside(prior) or from_outside(kernel) or not isinstance(prior, FromParameters):
        return _made(prior, kernel, how)
    key = type(prior), repr(prior.parameters()), type(kernel), repr(kernel), how
    if key not in _known:
        _known[key] = _made(prior, kernel, how)
        if len(_known) > MOST_KNOWN:
            del _known[next(iter(_known))]
    return _known[key]


def _made(prior: Prior, kernel: Kernel, how: str) -> Embedding | None:
    gaussians, pair = gaussian_sum(kernel), f"the {prior.name} prior and the {kernel.name} kernel"
    if gaussians is not None and how != ("quadrature" if gaussians.exact else "closed-form"):
        exact = _of_gaussians(prior, gaussians, pair)
        if exact is not None:
            return exact
    if how == "closed-form":
        raise ValueError(
            f'embedding must be "auto", "quadrature" or "monte-carlo", not "closed-form", which {pair} do not have'
        )
    if prior.dim in PANELS:
        term, error = quadrature(prior, kernel)
        nodes = Embedding(term, f"quadrature with {len(term.weights)} nodes: error about {error:.1e}", error)
        return nodes if how == "quadrature" else _with_table(nodes, _table_of_points(term, error))
    if how == "quadrature":
        raise ValueError(
            f'embedding must be "auto" or "monte-carlo", not "quadrature", which {pair} do not have in {prior.dim} '
            "dimensions"
        )
    return None


def _of_gaussians(prior: Prior, gaussians: GaussianSum, pair: str) -> Embedding | None:
    """The sum of the embeddings of Gaussians, each in closed form; None for a prior that has none."""
    if gaussians.exact:
        words = f"closed form for {pair}"
    else:
        errors = f"error at most {gaussians.error:.1e}, of the gradient {gaussians.slope_error:.1e}"
        words = f"quadrature, {len(gaussians.weights)} Gaussians for {pair}: {errors}"
    if isinstance(prior, Smoothing):
        term = prior.smooth(gaussians.lengthscales, gaussians.weights)
        exact = Embedding(term, words, gaussians.error)
        if isinstance(term, MixtureEmbedding):
            return _with_table(exact, _table_of_gaussians(term))
        if gaussians.exact or not isinstance(prior, Averaging):
            return exact
    elif isinstance(prior, Averaging):
        exact = Embedding(ConstantTerm(0.0), words, gaussians.error)
    else:
        return None
    table = _table_of_averages(prior, gaussians)
    if table is None and not isinstance(prior, Smoothing):
        return None
    return _with_table(exact, table)


def _table_of_averages(prior: Averaging, gaussians: GaussianSum) -> ProductTable | None:
    """On the line one function, in more dimensions products of those of each Gaussian."""
    lengthscales, weights = gaussians.lengthscales, gaussians.weights
    if prior.dim == 1:
        return product_table(
            [fitted(partial(_averages, prior, 0, lengthscales, weights), prior.centres(0))], np.ones(1)
        )
    functions = [partial(_averages, prior, i, lengthscales, None) for i in range(prior.dim)]
    return product_table([fitted(averages, prior.centres(i)) for i, averages in enumerate(functions)], weights)


def _averages(prior: Averaging, i: int, lengthscales: Array, weights: Array | None, x: Array) -> tuple[Array, Array]:
    """The averages of each Gaussian over coordinate i and their derivatives at x (n,), (n, Gaussians) both.

    With weights their sum, (n, 1).
    """
    both = [np.stack(parts, axis=1) for parts in zip(*(prior.average(i, s, x) for s in lengthscales), strict=True)]
    values, slopes = both if weights is None else [(part @ weights)[:, None] for part in both]
    return values, slopes


def _of_term(term: Term, x: Array) -> tuple[Array, Array]:
    """A term on the line and its derivative at x (n,), (n, 1) both."""
    return evaluate.values(term, x[:, None])[:, None], evaluate.gradients(term, x[:, None])


def _table_of_gaussians(term: MixtureEmbedding) -> ProductTable | None:
    if term.means.shape[1] > 1 or len(term.heights) <= MOST_GAUSSIANS:
        return None
    return product_table([fitted(partial(_of_term, term), np.unique(term.means))], np.ones(1))


def _table_of_points(term: WeightedPoints, error: float) -> ProductTable | PlaneTable | None:
    if term.points.shape[1] == 2:
        return plane_table(term, error)
    nodes = np.sort(term.points[:, 0])
    centres = nodes[np.unique(np.linspace(0, len(nodes) - 1, MOST_CENTRES).astype(int))]
    return product_table([fitted(partial(_of_term, term), centres, error)], np.ones(1))


def _with_table(exact: Embedding, table: ProductTable | PlaneTable | None) -> Embedding:
    """The embedding as a table, where it has one."""
    if table is None:
        return exact
    words = f"; in a table with a further error of {table.error:.1e}, of the gradient {table.slope_error:.1e}"
    return Embedding(table, exact.description + words, exact.error + table.error)
