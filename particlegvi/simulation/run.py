"""The run of one method: its records, and the numbers and pictures that summarise them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlegvi.contracts import Array, Target
from particlegvi.integrators import schedules
from particlegvi.simulation.exporting import ParticleExports
from particlegvi.tools import arguments, html
from particlegvi.tools.errors import warn


class Description(NamedTuple):
    """The words about a run."""

    text: str  # the table and the notes of ``describe()``
    reached: bool | None  # whether it has reached its equilibrium; None where that cannot be told
    verdict: str


@dataclass
class Run(ParticleExports):
    """The records of one method.

    Attributes
    ----------
    label : str
        Name in tables and figures, for example "DLE".
    loss, prior, method
        The arguments of the simulation.
    positions : ndarray (records, particles, dim)
    steps : ndarray (records,)
        Step numbers of the records; 0 is the start.
    step_size : float or Schedule
        The table of a schedule is accepted, too.
    seed : int
    info : dict
        Facts that JSON can hold: kernel and lengthscale with the rule that chose it, algorithm and its error bound,
        embedding, integrator, seconds; for FD-GVI the fitted mean and sd.
    times : ndarray (records,)
        Times of the records, the sums of the step sizes before them.
    variables : list of str
        The names of the coordinates.

    `particlegvi.tools.export.Exports` adds forms for other tools: `to_xarray`, `to_datatree`, `to_inference_data`,
    `to_dataframe` and `to_netcdf`.
    """

    describer: Callable[[Run], Description] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.step_size = schedules.step_size_from(self.step_size)

    @property
    def final(self) -> Array:
        """The particles at the last record, (particles, dim)."""
        return self.positions[-1]

    @property
    def initial(self) -> Array:
        """The particles at the start, (particles, dim)."""
        return self.positions[0]

    @property
    def particles(self) -> int:
        """Number of particles."""
        return self.positions.shape[1]

    @property
    def dim(self) -> int:
        """Dimension of a particle."""
        return self.positions.shape[2]

    def at(self, record: int) -> Run:
        """The part of the run up to one record; this record becomes ``final``.

        Parameters
        ----------
        record : int
            Number of the record: 0 is the start, and a negative number counts from the end.
        """
        from particlegvi.diagnostics.particles import fitted_gaussian

        last, info = arguments.record_number(record, len(self.positions)), dict(self.info)
        fitted = fitted_gaussian(self, last) if self.method.objective == "gaussians" else None
        if fitted is not None:
            info |= {"mean": fitted.mean.tolist(), "sd": fitted.sd.tolist()}
        return replace(self, positions=self.positions[: last + 1], steps=self.steps[: last + 1], info=info)

    @np.errstate(over="ignore")
    def average_loss(self) -> Array:
        """Mean loss of the particles at each record, (records,); inf where they have run away beyond all numbers."""
        # Take one record at a time, because all records together may not fit into memory.
        return np.array([np.mean(self.loss.value(np.ascontiguousarray(record))) for record in self.positions])

    def histogram(self, bins: int = 60) -> tuple[Array, Any]:
        """Density histogram of the final particles.

        Returns
        -------
        density, edges
            In 1-D arrays (bins,) and (bins + 1,), with the density integrating to 1; in 2-D (bins, bins) and a pair of
            edges.
        """
        from particlegvi.diagnostics.particles import has_bars

        bins = arguments.whole("bins", bins, 1, 100_000 if self.dim == 1 else 10_000)
        if self.dim in (1, 2):
            x, y = self.final[:, 0], self.final[:, -1]
            ends = [(low, high) if has_bars(low, high) else (low - 0.5, low + 0.5)
                    for low, high in ((float(each.min()), float(each.max())) for each in (x, y))]  # fmt: skip
            if self.dim == 1:
                return np.histogram(x, bins, ends[0], density=True)
            density, first, second = np.histogram2d(x, y, bins, ends, density=True)
            return density, (first, second)
        raise ValueError(f"particles must be of dimension 1 or 2 for a histogram, not {self.dim}")

    def plot(self, target: Target | None = None, **look: object) -> Any:
        """Draw the run, and the target if one is given: a matplotlib ``Figure`` with one panel.

        ``size="4:3"``, ``palette="dark"`` and so on choose its look (`particlegvi.plotting.figure`).
        """
        from particlegvi import plotting

        return plotting.plot_run(self, target=target, **look)

    def describe(self) -> str:
        """A table and notes for a terminal, with the verdict on whether the run is at its equilibrium.

        `particlegvi.compare` with this method alone gives the same. They are computed once.

        Warns
        -----
        UserWarning
            Once, if the run has not reached its equilibrium.
        """
        first = "_description" not in vars(self)
        if self._description.reached is False and first:
            warn(f"{self.label}: {self._description.verdict}")
        return self._description.text

    @cached_property
    def _description(self) -> Description:
        return Description(repr(self), None, "") if self.describer is None else self.describer(self)

    @cached_property
    def _truth(self) -> Target | None:
        """The target that a notebook shows; computed once."""
        from particlegvi.simulation import picture

        start = self.initial if self.drawn_from_prior() is None else self.prior
        return picture.truth(self.loss, self.method, self.prior, start, self.seed)

    def _repr_html_(self) -> str:
        from particlegvi.simulation import picture

        facts = {
            "particles": self.particles,
            "dimension": self.dim,
            "steps": f"{self.steps[-1]} of {schedules.shown(self.step_size)}, {len(self.steps)} records",
            "seed": self.seed,
            "integrator": self.info.get("integrator", ""),
            "weights": f"kl_weight {self.method.kl_weight:g}, mmd_weight {self.method.mmd_weight:g}",
            "seconds": self.info.get("seconds", ""),
        }
        known = {name: value for name, value in facts.items() if value != ""}
        # Only where the picture has a target, so that this is as quick as the picture; else `describe` has the verdict.
        known_verdict = self._truth is not None and self.describer is not None
        said = [html.verdict(self._description.reached, self._description.verdict)] if known_verdict else []
        return html.card(f"Run {self.label}", known, picture.histogram(self.final, self._truth), html.notes(said))

    def __repr__(self) -> str:
        size = f"{self.particles} particles in {self.dim} dimension{'s' * (self.dim != 1)}"
        return (
            f"{type(self).__name__}({self.label}: {size},"
            f" {self.steps[-1]} steps of {schedules.shown(self.step_size)}, {len(self.steps)} records)"
        )
