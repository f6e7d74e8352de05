"""The mean over random sets A of inputs of the KL of the values there."""

from __future__ import annotations

from particlegvi.functionspace.kl_terms.adam import descend, in_values
from particlegvi.functionspace.kl_terms.convex import best
from particlegvi.functionspace.kl_terms.fixed_points import at_one_set
from particlegvi.functionspace.kl_terms.problem import ADAM, LinearProblem, Settings, Solution
from particlegvi.functionspace.measurement.row_space import row_space
from particlegvi.functionspace.measurement.sets import Sets
from particlegvi.tools.registry import named


@named("random-points")
def random_points(problem: LinearProblem, sets: Sets, settings: Settings) -> Solution:
    """The minimiser over so many drawn sets, by L-BFGS; or Adam, with another random set at each step.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), (6), where it is Adam.
    """
    if settings.optimiser == ADAM:
        another = sets.steps()
        return descend(problem, in_values(problem, lambda: row_space(another())), settings)
    bases = [row_space(features) for features in sets.every()]
    if len(bases) == 1 and settings.family == "full":
        return at_one_set(problem, bases[0])
    return best(problem, bases, settings)
