"""Rivals of the engine, as a user would write them with libraries that the package does not need, and more workloads.

`particlegvi/bench/rivals.py` loads this folder where the package lies in a clone of the repository.
Each module has ``RIVALS``: for each workload, pairs of the library that must be installed and a function that makes the
contender, in the order of the rows in the report. ``WORKLOADS`` are those of networks, functions and three
dimensions, each with the engine's contender first. ``checks.made`` and ``scaling`` measure more than times.
"""

from . import (
    checks,
    function_workloads,
    loops,
    network_workloads,
    networks,
    particle_workloads,
    processes,
    published,
    scaling,
    waiting_workloads,
)

TITLES = {
    "jax": "JAX", "torch": "PyTorch", "blackjax": "BlackJAX", "sklearn": "scikit-learn", "gpytorch": "GPyTorch",
    "gpflow": "GPflow",
}  # fmt: skip
MODULES = particle_workloads, network_workloads, function_workloads, waiting_workloads
WORKLOADS = {each.__name__.replace("_", "-"): each for module in MODULES for each in module.ALL}
RIVALS = {**loops.RIVALS, **networks.RIVALS, **published.RIVALS, **processes.RIVALS}

__all__ = ["RIVALS", "TITLES", "WORKLOADS", "checks", "scaling"]
