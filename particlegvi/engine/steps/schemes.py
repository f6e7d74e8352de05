"""Which driver steps by which scheme (see :data:`particlegvi.integrators.SCHEMES`)."""

from __future__ import annotations

from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.steps.heun import HeunEnsemble
from particlegvi.engine.steps.metropolis import MetropolisEnsemble
from particlegvi.engine.steps.tamed import TamedEnsemble

DRIVERS: dict[str, type[Ensemble]] = {
    "plain": Ensemble,
    "tamed": TamedEnsemble,
    "heun": HeunEnsemble,
    "metropolis": MetropolisEnsemble,
}
