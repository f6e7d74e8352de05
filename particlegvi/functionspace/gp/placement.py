"""The basis of a sparse process, for each of the three kinds of ``inducing_points``, which are checked here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import selection
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.basis.projection import basis_of
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals import Functionals, facts_at
from particlegvi.tools.arguments import array, points, refuse, whole

ALLOWED = "an array (M, dim) or a whole number"
SEARCH_FACTS = {"start": "start", "iterations": "steps", "converged": "converged"}  # and their names in ``placement``


class Placement(NamedTuple):
    """Checked inducing points, and the settings for their choice."""

    given: Array | int | Functionals | Mercer  # points (M, dim), their number, functionals or a basis
    rule: str  # name of a rule of `selection`
    noise_variance: float  # 0 where the rule does not need it

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        """The basis for inputs (n, dim) and targets (n,), and facts about its choice."""
        given, rule = self.given, self.rule
        if isinstance(given, Functionals | Mercer) or not selection.uses_targets(rule):
            return chosen_basis(covariance, given, X, seed, rule)
        start = None if isinstance(given, int) else points("inducing_points", given, X.shape[1])
        number = given if isinstance(given, int) else len(given)
        targets = selection.Targets(y, self.noise_variance, start)
        found = selection.select(rule, covariance, X, number, seed, targets)
        search = {name: found.facts[key] for key, name in SEARCH_FACTS.items()} | found.facts["objective"]
        return Nystroem(covariance, found.points), {**found.facts, "placement": search}


def chosen_basis(
    covariance: Covariance, given: ArrayLike | int | Functionals | Mercer, X: Array, seed: int, rule: str = "greedy"
) -> tuple[Basis, Facts]:
    """The basis of given points or functionals, or of so many points by a rule, and facts about its choice."""
    if isinstance(given, Functionals | Mercer) or array("inducing_points", given, ALLOWED, booleans=True).ndim:
        return basis_of(covariance, given, X.shape[1]), facts_at(given, X)
    found = selection.select(rule, covariance, X, whole("the number of inducing points", given, 1), seed)
    return Nystroem(covariance, found.points), found.facts


def placement_of(
    given: ArrayLike | int | Functionals | Mercer, rule: str, noise_variance: Callable[[str], float]
) -> Placement:
    """Check the inducing points with their rule.

    ``noise_variance`` returns the noise variance to the named user, or raises a ValueError if the likelihood is not
    Gaussian.
    """
    searches = selection.uses_targets(rule)
    noise = noise_variance(f'placement="{rule}"') if searches else 0.0
    if not isinstance(given, Functionals | Mercer):
        found = array("inducing_points", given, ALLOWED, booleans=True)
        if not found.ndim:
            return Placement(whole("the number of inducing points", given, 1), rule, noise)
        given = found
    if rule != "greedy" and not (searches and not isinstance(given, Functionals | Mercer)):
        raise refuse("inducing_points", given, f'a whole number with placement="{rule}"')
    return Placement(given, rule, noise)  # type: ignore[arg-type]
