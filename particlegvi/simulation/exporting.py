"""A run of particles in the forms of other tools: its records, its draws for ArviZ, and its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from particlegvi import integrators
from particlegvi.contracts import Array, Facts, Loss, Method, Prior
from particlegvi.integrators import schedules
from particlegvi.losses import loss as losses
from particlegvi.losses.checks import coordinate_names
from particlegvi.tools.export import Exports, datasets
from particlegvi.tools.export.columns import Columns, of_particles
from particlegvi.tools.export.datasets import timeless
from particlegvi.version import __version__

if TYPE_CHECKING:
    import xarray

CHAINS = ("chain", "draw")  # what ArviZ looks for


@dataclass
class ParticleExports(Exports):
    """The base of `particlegvi.Run`: it has the fields of a run and turns them into other tools' forms."""

    label: str
    loss: Loss
    prior: Prior
    method: Method
    positions: Array
    steps: NDArray[np.int64]
    step_size: float | schedules.Schedule
    seed: int
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def times(self) -> Array:
        """Times of the records, the sums of the step sizes before them, (records,)."""
        return schedules.times(self.step_size, self.steps)

    @property
    def variables(self) -> list[str]:
        """The names of the coordinates, (dim,)."""
        if isinstance(self.loss, losses.Loss):
            return self.loss.variables
        return coordinate_names(self.positions.shape[2])

    def attributes(self) -> Facts:
        """Facts that identify the run: label, method and weights, loss, seed, step size, and ``info`` as JSON."""
        known = isinstance(self.loss, losses.Loss) and self.loss.formula
        return {
            "label": self.label,
            "method": type(self.method).__name__,
            "kl_weight": self.method.kl_weight,
            "mmd_weight": self.method.mmd_weight,
            "loss": known or self.loss.name,
            "seed": self.seed,
            "step_size": self.step_size if isinstance(self.step_size, float) else str(self.step_size),
            "particlegvi": __version__,
            "info": timeless(self.info),
        }

    def to_xarray(self) -> xarray.Dataset:
        """The records as a dataset of xarray: ``position`` (record, particle, coordinate).

        ``step`` and ``time`` of each record and the names of the coordinates are its coordinates; the method, its
        weights, the seed and other facts of the run are its attributes. The arrays are not copied and are read-only.
        """
        return datasets.of_records(self.positions, self.steps, self.times, self.variables, self.attributes())

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe` as columns by name."""
        if not records:
            return of_particles(self.positions[-1:], self.variables)
        which = {"record": np.arange(len(self.steps)), "time": self.times}
        return of_particles(self.positions, self.variables, which)

    def groups(self, last: float, chains: bool | None) -> dict[str, xarray.Dataset]:
        """The groups of `to_datatree`: ``posterior``, ``sample_stats``, and ``prior`` if the start is drawn from it."""
        if chains and not self.method.has_noise:
            whose = f"{self.label}, whose particles have no draws over time"
            raise ValueError(f"chains must be False for {whose}, not True")
        facts: Facts = self.attributes() | {"independent_chains": self._independent()}
        times = self.times
        chosen = np.flatnonzero(times >= (1.0 - last - 1e-12) * times[-1])
        along: datasets.Coordinates = {"coordinate": (("coordinate",), self.variables)}
        if chains is False or not self.method.has_noise:
            draws = self.positions[-1:]  # one chain, whose draws are the particles
        else:
            draws = np.ascontiguousarray(np.swapaxes(self.positions[chosen], 0, 1))
            along |= {"step": (("draw",), self.steps[chosen]), "time": (("draw",), times[chosen])}
        along |= {name: ((name,), np.arange(size)) for name, size in zip(CHAINS, draws.shape, strict=False)}
        found = {"posterior": datasets.dataset({"position": ((*CHAINS, "coordinate"), draws)}, along, facts)}
        others = {name: values for name, values in along.items() if name != "coordinate"}
        found["sample_stats"] = datasets.dataset(
            {name: (CHAINS, values) for name, values in self._statistics(draws).items()}, others, facts
        )
        start = self.drawn_from_prior()
        if start is not None:
            names: datasets.Coordinates = {"coordinate": (("coordinate",), self.variables)}
            found["prior"] = datasets.dataset({"position": ((*CHAINS, "coordinate"), start[None])}, names, facts)
        return found

    def _independent(self) -> bool:
        """Whether the particles do not interact."""
        alone = self.method.objective == "measures" and self.method.mmd_weight == 0.0
        alone = alone and not self.info.get("jumps") and not self.info.get("repulsion")
        name = self.info.get("integrator")
        return alone and not (name in integrators.names() and integrators.get(name).interacting)

    def _statistics(self, draws: Array) -> dict[str, Array]:
        """``loss`` of each draw, and ``lp`` (log q* up to a constant) if KL is the objective's only penalty."""
        flat = np.ascontiguousarray(draws.reshape(-1, draws.shape[-1]))
        loss = np.asarray(self.loss.value(flat), dtype=np.float64)
        found = {"loss": loss.reshape(draws.shape[:-1])}
        temperature = self.method.kl_weight
        if self.method.objective == "measures" and self.method.mmd_weight == 0.0 and temperature > 0.0:
            found["lp"] = (self.prior.log_density(flat) - loss / temperature).reshape(draws.shape[:-1])
        return found

    def drawn_from_prior(self) -> Array | None:
        """The start if it equals the draws of the prior with this seed, else None."""
        try:
            drawn = self.prior.sample(self.positions.shape[1], seed=self.seed)
        except ValueError:  # a flat prior has no draws
            return None
        return self.positions[0] if np.array_equal(drawn, self.positions[0]) else None
