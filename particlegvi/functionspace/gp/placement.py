"""The basis of inducing points, of functionals, or of exact eigenfunctions, for given inputs and targets."""

from __future__ import annotations

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts, Likelihood
from particlegvi.functionspace import selection
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.basis.projection import basis_of
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.tools.arguments import array, points, refuse, whole

ALLOWED = "an array (M, dim) or a whole number"
SEARCH_FACTS = {"start": "start", "iterations": "steps", "converged": "converged"}  # and their names in ``placement``


def chosen_basis(
    covariance: Covariance, choice: ArrayLike | int | Functionals | Basis, X: Array, seed: int, rule: str = "greedy"
) -> tuple[Basis, Facts]:
    """The basis of given points or functionals, or of so many points by a rule, and facts about its choice."""
    if isinstance(choice, Functionals | Basis) or array("inducing_points", choice, ALLOWED, booleans=True).ndim:
        if rule != "greedy":
            raise refuse("inducing_points", choice, f'a whole number with placement="{rule}"')
        return basis_of(covariance, choice, X.shape[1]), {}
    chosen = selection.select(rule, covariance, X, whole("the number of inducing points", choice, 1), seed)
    return Nystroem(covariance, chosen.points), chosen.facts


def placed_basis(
    covariance: Covariance, choice: ArrayLike | int | Functionals | Basis, rule: str, data: tuple[Array, Array],
    likelihood: Likelihood, seed: int,
) -> tuple[Basis, Facts]:  # fmt: skip
    """`chosen_basis` for data (X, y), also by a rule that searches for points by the targets with Gaussian noise."""
    X, y = data
    if not selection.uses_targets(rule) or isinstance(choice, Functionals | Basis):
        return chosen_basis(covariance, choice, X, seed, rule)
    if not isinstance(likelihood, Gaussian):
        raise refuse(f'the likelihood for placement="{rule}"', likelihood, "Gaussian")
    start = array("inducing_points", choice, ALLOWED, booleans=True)
    if start.ndim:
        start = points("inducing_points", choice, X.shape[1])
    number = len(start) if start.ndim else whole("the number of inducing points", choice, 1)
    targets = selection.Targets(y, likelihood.noise_variance, start if start.ndim else None)
    chosen = selection.select(rule, covariance, X, number, seed, targets)
    search = {name: chosen.facts[key] for key, name in SEARCH_FACTS.items()} | chosen.facts["objective"]
    return Nystroem(covariance, chosen.points), {**chosen.facts, "placement": search}
