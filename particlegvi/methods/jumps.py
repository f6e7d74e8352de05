"""Jumps between the modes of a loss, which leave the distribution of N particles invariant.

A DLE or DRLE with jumps arrives at its Q* whatever the barriers, where plain steps wait for a time that grows like
exp(barrier / kl_weight):

>>> import particlegvi as pg
>>> method = pg.methods.DLE(kl_weight=0.25, jumps=pg.jumps.Jumps(every=50, share=0.1))

``jumps=True`` and, in a scenario, ``jumps = {every = 50}`` or ``jumps = true`` do the same. docs/equilibrium.md has the
reasons and the measurements.

Every ``every`` steps each particle falls into one of two halves by a fair coin. The particles of one half propose from

    g = (1 - share) (kernel density of the other half) + share (prior)

and move with probability min(1, exp(-(E' - E) / kl_weight) g(old) / g(new)). Then the other half does. Here

    E(theta_1..N) = sum_n V(theta_n) + lambda1 / (2 N) sum_{n,m} kappa(theta_n, theta_m)

is the energy whose Langevin dynamics the flow of N particles is. g does not depend on the half that moves, so that
exp(-E / kl_weight) stays invariant exactly. The code is `particlegvi.engine.jumps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from particlegvi.contracts import Method
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.html import Card
from particlegvi.tools.registry import check_parameters

__all__ = ["Jumps"]

MOST_STEPS = 10**12


@explains_bad_calls
@dataclass(frozen=True)
class Jumps(Card):
    """Jumps between modes for DLE and DRLE, with proposals from the ensemble itself.

    Parameters
    ----------
    every : int
        Steps between jumps, 1 or more.
    share : float
        Probability of a proposal from the prior (from a Student t fitted to the other half where the prior is flat),
        above 0 and at most 1. With 0 a lone particle in a mode that all others have left would never leave it.
    """

    every: int = 50
    share: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "every", arguments.whole("every", self.every, 1, MOST_STEPS))
        object.__setattr__(self, "share", arguments.fraction("share", self.share, "1"))


def jumps_from(jumps: object) -> Jumps | None:
    """The settings from what a user may write: `Jumps`, their parameters as a mapping, True, or False or None."""
    if isinstance(jumps, Jumps):
        return jumps
    if jumps is None or jumps is False:
        return None
    if jumps is True:
        return Jumps()
    if isinstance(jumps, Mapping):
        check_parameters("jumps", jumps, ("every", "share"))
        return Jumps(**jumps)
    raise arguments.refuse("jumps", jumps, "True, False, or a table such as {every = 50, share = 0.1}")


def jumps_of(jumps: object, method: Method) -> Jumps | None:
    """The settings of jumps of a method; a ValueError where it can have none."""
    settings = jumps_from(jumps)
    if settings is not None and method.kl_weight == 0.0:
        raise ValueError(f"jumps must be left out for {method.label} without noise, whose kl_weight is 0")
    return settings
