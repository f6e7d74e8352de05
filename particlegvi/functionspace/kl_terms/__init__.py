"""Ways to compare the functions of two Bayesian linear models, each one file: what stands for their KL in an objective.

====================  =======================================================================
name                  KL(Q, P) is replaced by
====================  =======================================================================
``exact``             itself: the KL of the weights
``fixed-points``      KL(Q_A, P_A) of the values at one set A of inputs
``random-points``     its mean over random sets A
``spectral``          the same, with the entropy of Q_A by the spectral Stein estimator
====================  =======================================================================

A term is a function of a `LinearProblem`, of `Sets` and of `Settings` that gives the `Solution` of

    minimise  KL term - E_Q log p(y | w)   over Gaussian distributions Q of the weights, full or factorised.

Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), (6).
"""

from __future__ import annotations

from particlegvi.functionspace.kl_terms.problem import LinearProblem, Records, Settings, Solution, Term
from particlegvi.tools.registry import Registry

__all__ = ["LinearProblem", "Records", "Settings", "Solution", "Term", "get", "names"]

_registry = Registry(__name__, "kl")


def names() -> list[str]:
    """The names of all terms, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Term:
    """The function of this name, for example ``get("random-points")``.

    Raises
    ------
    ValueError
        If there is no such term; the nearest one is suggested.
    """
    term: Term = _registry[name]
    return term
