"""Which driver steps by which scheme (see :data:`particlegvi.integrators.SCHEMES`)."""

from __future__ import annotations

from particlegvi.engine.ensemble import Ensemble
from particlegvi.engine.heun import HeunEnsemble
from particlegvi.engine.metropolis import MetropolisEnsemble
from particlegvi.engine.tamed import TamedEnsemble

DRIVERS: dict[str, type[Ensemble]] = {
    "plain": Ensemble,
    "tamed": TamedEnsemble,
    "heun": HeunEnsemble,
    "metropolis": MetropolisEnsemble,
}
