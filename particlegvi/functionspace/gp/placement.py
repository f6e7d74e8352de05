"""The basis of a sparse process, for each of the four kinds of ``inducing_points``, which are checked here."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts
from particlegvi.functionspace import selection
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.basis.projection import basis_of
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.functionals import Functionals, facts_at
from particlegvi.functionspace.gp.growing import AUTO, Problem, grow
from particlegvi.tools.arguments import array, points, whole
from particlegvi.tools.quoting import refuse

SEARCH_FACTS = {"start": "start", "iterations": "steps", "converged": "converged"}  # and their names in ``placement``


class Placement(Protocol):
    """One kind of inducing points."""

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int, /) -> tuple[Basis, Facts]:
        """The basis for inputs (n, dim) and targets (n,), and facts about its choice."""
        ...


class Given(NamedTuple):
    """Given functionals or points (M, dim), used unchanged."""

    these: ArrayLike | Functionals

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        if isinstance(self.these, Functionals):
            return basis_of(covariance, self.these, X.shape[1]), facts_at(self.these, X)
        return Nystroem(covariance, self.these), {}


class ByRule(NamedTuple):
    """A number of points that a rule of `selection` chooses among the rows."""

    rule: str
    number: int

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        found = selection.select(self.rule, covariance, X, self.number, seed)
        return Nystroem(covariance, found.points), found.facts


class BySearch(NamedTuple):
    """Points that a rule with an objective moves, starting from a number of greedy points or from given (M, dim)."""

    rule: str
    begin: Array | int
    noise_variance: float

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        if isinstance(self.begin, int):
            number, start = self.begin, None
        else:
            start = points("inducing_points", self.begin, X.shape[1])
            number = len(start)
        targets = selection.Targets(y, self.noise_variance, start)
        found = selection.select(self.rule, covariance, X, number, seed, targets)
        search = {name: found.facts[key] for key, name in SEARCH_FACTS.items()} | found.facts["objective"]
        return Nystroem(covariance, found.points), {**found.facts, "placement": search}


class ByGap(NamedTuple):
    """Greedy points, as many as a certified gap needs, up to a largest number."""

    gap: float
    most: int | None
    noise_variance: float

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        return grow(Problem(covariance, X, y, self.noise_variance), self.gap, self.most, seed)


def placement_of(
    given: ArrayLike | int | str | Functionals,
    rule: str,
    gap: float,
    most: int | None,
    noise_variance: Callable[[str], float],
) -> Placement:
    """The kind of the given inducing points; the rule is already checked.

    Parameters
    ----------
    given : array (M, dim), int, "auto" or Functionals
    rule : str
        Name of a rule of `selection`.
    gap, most : float, int or None
        Certified gap and largest number of points for "auto".
    noise_variance : callable
        Returns the noise variance to the named user; raises a ValueError if the likelihood is not Gaussian.

    Raises
    ------
    ValueError
        If the rule does not allow this kind, or the kind needs a Gaussian likelihood.
    """
    searches = selection.uses_targets(rule)
    noise = noise_variance(f'placement="{rule}"') if searches else 0.0
    allowed = f'an array, a whole number or "{AUTO}"'
    if isinstance(given, str) and given != AUTO:
        raise refuse("inducing_points", given, allowed)
    if isinstance(given, str | Functionals):
        if rule != "greedy":
            raise refuse("inducing_points", given, f'a whole number with placement="{rule}"')
        if isinstance(given, Functionals):
            return Given(given)
        return ByGap(gap, most, noise_variance(f'inducing_points="{AUTO}"'))
    found = array("inducing_points", given, allowed, booleans=True)
    if not found.ndim:
        number = whole("the number of inducing points", given, 1)
        return BySearch(rule, number, noise) if searches else ByRule(rule, number)
    if searches:
        return BySearch(rule, found, noise)
    if rule != "greedy":
        raise refuse("inducing_points", given, f'a whole number with placement="{rule}"')
    return Given(found)
