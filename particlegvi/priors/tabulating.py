"""Tables in place of mean embeddings that take long to compute: polynomials that are fitted on panels.

Panels are halved until the polynomials agree with the embedding between their nodes, and the largest difference there
is stated. A table is made once in a process for each pair of prior and kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Term
from particlegvi.engine.terms import evaluate
from particlegvi.priors.embedding_table import EmbeddingTable
from particlegvi.priors.gaussian_sums import MixtureEmbedding, Smoothing
from particlegvi.priors.laplace import LaplaceEmbedding
from particlegvi.priors.plane_table import PlaneTable
from particlegvi.priors.student_t import StudentTEmbedding
from particlegvi.priors.tabulating_plane import tabulated_in_plane
from particlegvi.priors.uniform import UniformEmbedding
from particlegvi.priors.weighted_points import NODES as IN_A_PANEL
from particlegvi.priors.weighted_points import WeightedPoints, on_the_line

TERMS = 10  # coefficients of a polynomial
FIT = 1e-12  # a polynomial fits to this share of the largest value
MOST_GAUSSIANS = 16  # the sum of so many Gaussians is as quick as a table
MOST_PANELS = 2**11
MOST_CENTRES = 128  # at which panels begin, of so many points that a panel for each would be too many
MOST_NUMBERS = 2e7  # of a table: 160 MB
MOST_COORDINATES = 3
VANISHED = 1e-14  # the table ends where all values are below this share of the largest
FARTHEST = 1e150  # largest coordinate of a table, whose square is finite
SEEN = 1e-2  # Gaussians of less than this share of the greatest weight do not make a panel narrow at first
WORST_SLOPE = 1e-2  # largest error of a slope, in units of the largest slope
DOUBLE = 1e-6  # a gap below this share of the gap beside it is the rounding of one edge that appears twice
NODES = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)  # of the polynomials, on [-1, 1]
CHECKS = np.cos(np.pi * np.arange(TERMS + 1) / TERMS)  # between them, and at both ends
TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES))

Functions = Callable[[Array], tuple[Array, Array]]  # of x (n,): values and derivatives, (n, functions) each


@runtime_checkable
class Independent(Protocol):
    """An optional part of a `Prior`: its coordinates are independent, and each has a prior of its own."""

    def marginal(self, i: int, /) -> Smoothing: ...


def tabulated(term: Term, prior: object, error: float = 0.0) -> EmbeddingTable | PlaneTable | None:
    """A table in place of a mean embedding whose error is ``error``; None where the embedding is quick.

    None also where a table needs too many panels, as it may for a kernel with a kink.
    """
    if isinstance(term, WeightedPoints):
        if term.points.shape[1] > 1:
            return tabulated_in_plane(term, error) if term.points.shape[1] == 2 else None
        nodes = term
        fit = fitted(lambda x: on_the_line(nodes, x), _edges([term]), error)
        return None if fit is None else _table([fit], np.ones(1))
    if isinstance(term, MixtureEmbedding):
        if term.means.shape[1] > 1 or len(term.heights) <= MOST_GAUSSIANS:
            return None
        return _of_each([[term]], np.ones(1))
    if not isinstance(term, LaplaceEmbedding | StudentTEmbedding | UniformEmbedding):
        return None
    scales, dim = len(term.weights), len(term[0])
    if dim == 1 and not isinstance(term, StudentTEmbedding) and scales > 1:
        return _of_each([[term]], np.ones(1))
    quick = not isinstance(term, StudentTEmbedding) and scales == 1
    if not 1 < dim <= MOST_COORDINATES or quick or not isinstance(prior, Independent):
        return None
    one, apart = np.ones(1), term.lengthscales[:, None]
    return _of_each([[prior.marginal(i).smooth(scale, one) for scale in apart] for i in range(dim)], term.weights)


class Fitted(NamedTuple):
    """Polynomials of some functions of one coordinate, and their largest errors."""

    edges: Array  # (panels + 1,)
    coefficients: Array  # (panels, TERMS, functions)
    error: float
    slope_error: float


def fitted(functions: Functions, edges: Array, error: float = 0.0) -> Fitted | None:
    """Polynomials on panels, between ``edges`` at first, that fit to 1e-12 of the largest value or to ``error``.

    None where they need too many panels, or where their derivatives are far from those of the functions. The errors
    are twice the largest differences between the nodes.
    """
    values, derivatives = functions(edges)
    tolerance, steepest = max(FIT * float(np.abs(values).max()), error), float(np.abs(derivatives).max())
    left, right = edges[:-1], edges[1:]
    done: list[tuple[Array, Array, Array]] = []
    worst = worst_slope = 0.0
    panels = 0
    while len(left):
        if (panels + len(left)) * values.shape[-1] * TERMS > MOST_NUMBERS or panels + len(left) > MOST_PANELS:
            return None
        half = 0.5 * (right - left)
        at = (left + half)[:, None] + half[:, None] * np.concatenate([NODES, CHECKS])
        values, derivatives = (each.reshape(*at.shape, -1) for each in functions(at.ravel()))
        steepest = max(steepest, float(np.abs(derivatives).max()))
        coefficients = np.einsum("kj,pjq->pkq", TO_COEFFICIENTS, values[:, :TERMS])
        miss = np.abs(np.einsum("jk,pkq->pjq", np.vander(CHECKS, TERMS), coefficients) - values[:, TERMS:])
        lowered = coefficients[:, :-1] * np.arange(TERMS - 1.0, 0.0, -1.0)[:, None] / half[:, None, None]
        slopes = np.einsum("jk,pkq->pjq", np.vander(CHECKS, TERMS - 1), lowered)
        fine = (miss.max(axis=(1, 2)) <= tolerance) | (half < 1e-13 * np.maximum(np.abs(left), np.abs(right)))
        done.append((left[fine], right[fine], coefficients[fine]))
        worst = max(worst, float(miss[fine].max(initial=0.0)))
        worst_slope = max(worst_slope, float(np.abs(slopes - derivatives[:, TERMS:])[fine].max(initial=0.0)))
        panels += int(fine.sum())
        middle = (left + half)[~fine]
        left, right = np.concatenate([left[~fine], middle]), np.concatenate([middle, right[~fine]])
    if not worst_slope <= WORST_SLOPE * steepest:
        return None
    left, right, coefficients = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(left)
    return Fitted(np.append(left[order], right.max()), coefficients[order], 2.0 * worst, 2.0 * worst_slope)


def _of_each(terms: Sequence[Sequence[Term]], weights: Array) -> EmbeddingTable | None:
    """The table of the sum over q of ``weights[q]`` times the product over the coordinates of ``terms[i][q]``."""
    fits: list[Fitted] = []
    for own in terms:

        def functions(x: Array, own: Sequence[Term] = own) -> tuple[Array, Array]:
            at = x[:, None]
            values = np.stack([evaluate.values(term, at) for term in own], axis=1)
            return values, np.concatenate([evaluate.gradients(term, at) for term in own], axis=1)

        fit = fitted(functions, _edges(own))
        if fit is None:
            return None
        fits.append(fit)
    return _table(fits, weights)


def _table(each: list[Fitted], weights: Array) -> EmbeddingTable:
    """The table of ``sum_q weights_q prod_i f_iq``; with two or more coordinates each f is at most 1."""
    numbers = [len(fit.coefficients) for fit in each]
    edges = np.full((len(each), max(numbers) + 1), np.inf)
    coefficients = np.zeros((len(each), max(numbers), TERMS, len(weights)))
    for i, (number, fit) in enumerate(zip(numbers, each, strict=True)):
        edges[i, : number + 1], coefficients[i, :number] = fit.edges, fit.coefficients
    coefficients[0] *= weights
    total, error = float(weights.sum()), sum(fit.error for fit in each)
    steepest = max(fit.slope_error for fit in each)
    return EmbeddingTable(np.array(numbers, dtype=np.float64), edges, coefficients, total * error, total * steepest)


def _edges(terms: Sequence[Term]) -> Array:
    """Edges in doublings around the centres of some functions of one coordinate, out to where all have vanished."""
    features = [_features(term) for term in terms]
    centres = np.unique(np.concatenate([each[0] for each in features]))
    narrow, wide = min(each[1] for each in features), max(each[2] for each in features)
    low, high = float(centres[0]), float(centres[-1])
    far = wide * 2.0 ** np.arange(0.0, 500.0)
    far = far[far + max(abs(low), abs(high)) < FARTHEST]
    at = np.concatenate([low - far, high + far, centres])
    levels = np.max([_values(term, at) for term in terms], axis=0)
    seen = np.maximum(levels[: len(far)], levels[len(far) : 2 * len(far)]) > VANISHED * levels.max()
    far = far[: np.max(np.flatnonzero(seen), initial=0) + 2]
    near = narrow * 2.0 ** np.arange(-1.0, np.log2(wide / narrow))
    around = [(centres[:, None] + side * near).ravel() for side in (-1.0, 1.0)]
    edges = np.unique(np.concatenate([centres, *around, low - far, high + far]))
    gaps = np.diff(edges)
    beside = np.maximum(np.append(gaps[1:], 0.0), np.insert(gaps[:-1], 0, 0.0))
    return edges[np.insert(gaps > DOUBLE * beside, 0, True)]


def _values(term: Term, x: Array) -> Array:
    return on_the_line(term, x)[0] if isinstance(term, WeightedPoints) else evaluate.values(term, x[:, None])


def _features(term: Term) -> tuple[Array, float, float]:
    """Centres of a function of one coordinate, and the smallest and the largest width of its features there."""
    if isinstance(term, WeightedPoints):
        at = np.sort(term.points[:, 0])
        few = 3 * len(at) < IN_A_PANEL * MOST_PANELS  # each centre gives three edges
        apart = IN_A_PANEL if few else len(at) // MOST_CENTRES
        return at[np.r_[0 : len(at) : apart, len(at) - 1]], float(np.ptp(at)), float(np.ptp(at))
    if isinstance(term, MixtureEmbedding):
        widths = term.precisions[term.precisions > 0.0] ** -0.5
        return np.unique(term.means), float(widths.min()), float(widths.max())
    assert isinstance(term, LaplaceEmbedding | UniformEmbedding)
    scales = term.lengthscales
    if isinstance(term, LaplaceEmbedding):
        centres, own = term.location, float(term.scale[0])
    else:
        centres, own = np.concatenate([term.low, term.high]), float(term.high[0] - term.low[0])
        scales = scales[term.weights > SEEN * term.weights.max()]  # panels narrower than needed cost digits of slopes
    return centres, float(scales.min()), max(own, float(scales.max()))
