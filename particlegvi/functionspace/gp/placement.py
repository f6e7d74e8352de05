"""The basis of a sparse process, for each of the four kinds of ``inducing_points``, which are checked here."""

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
from particlegvi.functionspace.gp.certificate import Fitted, certify
from particlegvi.functionspace.gp.coefficient_law import collapsed
from particlegvi.functionspace.residuals import Residual
from particlegvi.tools.arguments import array, points, refuse, whole

AUTO = "auto"
ALLOWED = "an array (M, dim) or a whole number"
GAP = 0.1  # the largest certified gap for "auto" unless another is asked for, in nats
FIRST = 16  # number of inducing points at the start of "auto"
SEARCH_FACTS = {"start": "start", "iterations": "steps", "converged": "converged"}  # and their names in ``placement``


class Placement(NamedTuple):
    """Checked inducing points, and the settings for their choice."""

    given: Array | int | str | Functionals | Mercer  # points (M, dim), their number, "auto", functionals or a basis
    rule: str  # name of a rule of `selection`
    gap: float  # the largest certified gap for "auto"
    most: int | None  # the largest number of points for "auto"; None for as many as rows
    noise_variance: float  # 0 where neither the rule nor "auto" needs it

    def basis(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Basis, Facts]:
        """The basis for inputs (n, dim) and targets (n,), and facts about its choice."""
        given, rule = self.given, self.rule
        if isinstance(given, str):
            return self._grown(covariance, X, y, seed)
        if isinstance(given, Functionals | Mercer) or not selection.uses_targets(rule):
            return chosen_basis(covariance, given, X, seed, rule)
        start = None if isinstance(given, int) else points("inducing_points", given, X.shape[1])
        number = given if isinstance(given, int) else len(given)
        targets = selection.Targets(y, self.noise_variance, start)
        found = selection.select(rule, covariance, X, number, seed, targets)
        search = {name: found.facts[key] for key, name in SEARCH_FACTS.items()} | found.facts["objective"]
        return Nystroem(covariance, found.points), {**found.facts, "placement": search}

    def _grown(self, covariance: Covariance, X: Array, y: Array, seed: int) -> tuple[Nystroem, Facts]:
        """The basis of the fewest greedy points (16, 32, ...) with a small enough certified gap.

        The facts are the facts of the selection, ``certified_gaps`` (by number of inducing points) and ``stopped``:
        "certified_gap", "most_inducing_points", "all rows" (every row is an inducing point), or "no variance left" (the
        chosen points determine the function at all rows, to rounding).

        Source: Pescador-Barrios, Filippi and van der Wilk (2024), who add points until their bound stops changing.
        """
        ceiling = len(X) if self.most is None else min(self.most, len(X))
        count, gaps = min(FIRST, ceiling), {}
        while True:
            chosen = selection.select("greedy", covariance, X, count, seed)
            basis = Nystroem(covariance, chosen.points)
            e = basis.features(X)
            law, _ = collapsed(e, Residual(basis).variance(X, e), y, self.noise_variance)
            found = len(chosen.points)
            gaps[str(found)] = certify(Fitted(basis, law, X, y, self.noise_variance)).kl
            if gaps[str(found)] <= self.gap:
                stopped = "certified_gap"
            elif found < count:
                stopped = "no variance left"
            elif count == ceiling:
                stopped = "all rows" if count == len(X) else "most_inducing_points"
            else:
                count = min(2 * count, ceiling)
                continue
            return basis, {**chosen.facts, "certified_gaps": gaps, "stopped": stopped}


def chosen_basis(
    covariance: Covariance, given: ArrayLike | int | Functionals | Mercer, X: Array, seed: int, rule: str = "greedy"
) -> tuple[Basis, Facts]:
    """The basis of given points or functionals, or of so many points by a rule, and facts about its choice."""
    if isinstance(given, Functionals | Mercer) or array("inducing_points", given, ALLOWED, booleans=True).ndim:
        return basis_of(covariance, given, X.shape[1]), facts_at(given, X)
    found = selection.select(rule, covariance, X, whole("the number of inducing points", given, 1), seed)
    return Nystroem(covariance, found.points), found.facts


def placement_of(
    given: ArrayLike | int | str | Functionals | Mercer,
    rule: str,
    gap: float,
    most: int | None,
    noise_variance: Callable[[str], float],
) -> Placement:
    """Check the inducing points with their rule; ``gap`` and ``most`` are already checked.

    ``noise_variance`` returns the noise variance to the named user, or raises a ValueError if the likelihood is not
    Gaussian.
    """
    searches = selection.uses_targets(rule)
    noise = noise_variance(f'placement="{rule}"') if searches else 0.0
    allowed = f'an array, a whole number or "{AUTO}"'
    if isinstance(given, str) and given != AUTO:
        raise refuse("inducing_points", given, allowed)
    if not isinstance(given, str | Functionals | Mercer):
        found = array("inducing_points", given, allowed, booleans=True)
        if not found.ndim:
            return Placement(whole("the number of inducing points", given, 1), rule, gap, most, noise)
        if searches or rule == "greedy":
            return Placement(found, rule, gap, most, noise)
    if rule != "greedy":
        raise refuse("inducing_points", given, f'a whole number with placement="{rule}"')
    if isinstance(given, str):
        noise = noise_variance(f'inducing_points="{AUTO}"')
    return Placement(given, rule, gap, most, noise)  # type: ignore[arg-type]
