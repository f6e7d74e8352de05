"""The kernel mean embedding of a prior, mu_P(x) = E kappa(x, T) for T distributed as P, as a term for the engine.

The engine subtracts ``lambda1 * gradient`` of it in the drift's potential V (thesis, 5.4.3): particles are drawn to
where the prior's own samples would be.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

import numpy as np

from particlegvi.contracts import Kernel, Located, Placed, Prior, Term
from particlegvi.engine.numerics.user_code import frozen
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.priors.embedding_table import EmbeddingTable
from particlegvi.priors.flat import Flat
from particlegvi.priors.gaussian_sums import Smoothing, gaussian_sum
from particlegvi.priors.placed import Described
from particlegvi.priors.plane_table import PlaneTable
from particlegvi.priors.tabulating import tabulated
from particlegvi.priors.weighted_points import PANELS, Discretised, WeightedPoints, monte_carlo, quadrature
from particlegvi.tools import parts
from particlegvi.tools.arguments import refuse, whole

T = TypeVar("T")
WAYS = ("auto", "closed-form", "quadrature", "monte-carlo")
MOST_KNOWN = 64
MOST_TABLES = 8  # of nodes that were tabulated, which their keys keep

_known: dict[Hashable, Embedding | None] = {}  # in this process, the latest last
_tables: dict[Hashable, EmbeddingTable | PlaneTable | None] = {}  # likewise


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
    parts.part("prior", prior, Prior, parts.PRIOR, without="gradient term")
    if not isinstance(how, str) or how not in WAYS:
        raise refuse("embedding", how, f"one of {', '.join(WAYS)}")
    parts.kernel_or_rule(kernel)
    if isinstance(kernel.lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number for an embedding, not "{kernel.lengthscale}"')
    if isinstance(prior, Flat):
        # (C.129)-(C.131): it does not depend on x. Zero is its limit over growing uniform boxes.
        return Embedding(ConstantTerm(0.0), "constant, because the prior is flat", 0.0)
    found = None if how == "monte-carlo" else _without_draws(prior, kernel, how)
    if found is not None:
        return found
    term, error = monte_carlo(prior, kernel, whole("samples", samples, 1), seed)
    words = f"Monte Carlo with {samples} prior samples (seed {seed}): standard error at most about {error:.1e}"
    return Embedding(term, words, error)


def _without_draws(prior: Prior, kernel: Kernel, how: str) -> Embedding | None:
    """The embedding in closed form or by quadrature, made once in a process; None where it has neither."""
    return _once(_known, MOST_KNOWN, _key(prior, kernel, how), lambda: _made(prior, kernel, how))


def _once(known: dict[Hashable, T], most: int, key: Hashable, make: Callable[[], T]) -> T:
    """The result of ``make``, kept under the key among the latest ``most``; made anew each time if the key is None."""
    if key is None:
        return make()
    if key not in known:
        known[key] = make()
        while len(known) > most:
            del known[next(iter(known))]
    return known[key]


def _key(prior: Prior, kernel: Kernel, how: str) -> Hashable:
    """Everything that decides an embedding; None for a user's prior, whose numbers may change."""
    if not type(prior).__module__.startswith("particlegvi.priors.") or not isinstance(prior, Described):
        return None
    numbers = repr(prior.parameters()), prior.low.tobytes(), prior.high.tobytes()
    return type(prior), *numbers, _content(kernel), how


def _content(thing: object) -> Hashable:
    """The numbers of a kernel, and the code of a user's."""
    if isinstance(thing, tuple):
        return type(frozen(thing)), *map(_content, thing)
    array = np.asarray(thing)
    return array.shape, array.tobytes()


def _made(prior: Prior, kernel: Kernel, how: str) -> Embedding | None:
    smoothing = prior if isinstance(prior, Smoothing) else None
    gaussians = None if smoothing is None else gaussian_sum(kernel)
    pair = f"the {prior.name} prior and the {kernel.name} kernel"
    if smoothing is not None and gaussians is not None and gaussians.exact and how != "quadrature":
        error = float(vars(type(prior)).get("smooth_error", 0.0)) * kernel.variance
        form = f"mixture of Gaussians, error at most {error:.0e}," if error else "closed form"
        term = smoothing.smooth(gaussians.lengthscales, gaussians.weights)
        return _quick(Embedding(term, f"{form} for {pair}", error), prior)
    if how == "closed-form":
        raise ValueError(
            f'embedding must be "auto", "quadrature" or "monte-carlo", not "closed-form", which {pair} do not have'
        )
    if smoothing is not None and gaussians is not None and not gaussians.exact:
        errors = f"error at most {gaussians.error:.1e}, of the gradient {gaussians.slope_error:.1e}"
        words = f"quadrature, {len(gaussians.weights)} Gaussians for the {kernel.name} kernel: {errors}"
        term = smoothing.smooth(gaussians.lengthscales, gaussians.weights)
        return _quick(Embedding(term, words, gaussians.error), prior)
    bounded = np.all(np.isfinite(prior.high) & np.isfinite(prior.low))
    if prior.dim in PANELS and (bounded or isinstance(prior, Located | Placed | Discretised)):
        term, error = quadrature(prior, kernel)
        words = f"quadrature with {len(term.weights)} nodes: error about {error:.1e}"
        found = Embedding(term, words, error)
        return _quick(found, prior) if how == "auto" else found
    if how == "quadrature":
        raise ValueError(
            f'embedding must be "auto" or "monte-carlo", not "quadrature", which {pair} do not have in {prior.dim} '
            "dimensions"
        )
    return None


def _quick(found: Embedding, prior: Prior) -> Embedding:
    """The embedding as a table, where it takes long and has one."""
    # The nodes of a user's prior are new ones each time; the table of the same nodes is made once.
    key = (_content(found.term), found.error) if isinstance(found.term, WeightedPoints) else None
    table = _once(_tables, MOST_TABLES, key, lambda: tabulated(found.term, prior, found.error))
    if table is None:
        return found
    words = f"; in a table with a further error of {table.error:.1e}, of the gradient {table.slope_error:.1e}"
    return Embedding(table, found.description + words, found.error + table.error)
