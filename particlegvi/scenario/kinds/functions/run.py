"""The fit of one method: its records, its predictions, and its forms for other tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Facts, StepProgress
from particlegvi.scenario.kinds.functions.data import Data
from particlegvi.scenario.kinds.functions.problem import Array, Certifying, Fit, Followable, FunctionProblem
from particlegvi.tools import arguments, html
from particlegvi.tools.export import Exports, datasets
from particlegvi.tools.export.columns import Columns, of_particles
from particlegvi.version import __version__

if TYPE_CHECKING:
    import xarray


@dataclass
class FunctionRun(Exports):
    """The fit of one method, with the forms for other tools of `particlegvi.tools.export.Exports`."""

    label: str  # name in tables and figures
    problem: FunctionProblem  # data, kernel, likelihood and settings
    data: Data  # source of the data, and the true function where it is known
    method: Any  # a model of `particlegvi.scenario.kinds.functions.methods`
    fit: Fit

    @property
    def positions(self) -> Array:
        """Coefficients (records, particles, dim); for GP values of the function at the data."""
        return self.fit.positions

    @property
    def steps(self) -> np.ndarray:
        """Step numbers of the records, (records,)."""
        return self.fit.steps

    @property
    def info(self) -> Facts:
        """Facts that JSON can hold."""
        return self.fit.info

    @property
    def step_size(self) -> float | None:
        """The step size of the simulation; None for a fit without steps."""
        return self.fit.info.get("step_size")

    @property
    def final(self) -> Array:
        """The particles at the last record, (particles, dim)."""
        return self.fit.positions[-1]

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.problem.seed

    def at(self, record: int) -> FunctionRun:
        """The fit at one record, numbered from 0; a negative number counts from the end."""
        last = arguments.record_number(record, len(self.positions)) + 1
        return replace(self, fit=self.fit._replace(positions=self.positions[:last], steps=self.steps[:last]))

    def followed(self, progress: StepProgress | None = None) -> FunctionRun:
        """The fit with intermediate records. If only its end was stored, it is computed again, bit for bit.

        A fit without steps (GP, SVGP) is returned unchanged.

        A ValueError if the new fit has another end, because another version of the package made the stored fit.
        """
        if len(self.steps) > 1 or not isinstance(self.method, Followable):
            return self
        fit = self.method.follow(self.problem, progress)
        if not np.array_equal(fit.positions[-1], self.final):
            raise ValueError(f"{self.label} was made by another version, and ends elsewhere when it is fitted again")
        return replace(self, fit=self.fit._replace(positions=fit.positions, steps=fit.steps))

    @cached_property
    def posterior(self) -> Any:
        """The object that gives marginals and samples; for PLS the fitted `ProjectedLangevinSampler`."""
        return self.method.restore(self.problem, self.fit)

    def marginals(self, X: ArrayLike) -> Any:
        """The distribution of the function at each input: a mixture of Gaussians."""
        return self.posterior.marginals(_inputs(X, self.data.inputs))

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Mean of the function at inputs (n, inputs), and with ``return_std`` its standard deviation."""
        law = self.marginals(X)
        return (law.mean(), law.sd()) if return_std else law.mean()

    def guaranteed(self, X: ArrayLike) -> tuple[Array, Array] | None:
        """The ends of a band at inputs (n, inputs) within which the exact 95% band lies, (n,) each, or None."""
        if not isinstance(self.method, Certifying):
            return None
        return self.method.guaranteed(self.problem, self.fit, _inputs(X, self.data.inputs))

    def eigenvalues(self) -> Array | None:
        """The eigenvalues (size,) of the basis, descending; None for a method whose basis has none."""
        return self.fit.arrays.get("eigenvalues")

    def sample(self, X: ArrayLike) -> Array:
        """Posterior samples of the function at these inputs together, (particles, n)."""
        return self.posterior.sample(_inputs(X, self.data.inputs))

    def attributes(self) -> Facts:
        """Facts that identify the run: label, method, likelihood and covariance, seed, and ``info`` as JSON."""
        return {
            "label": self.label,
            "method": self.method.name,
            "likelihood": self.problem.likelihood.facts(),
            "covariance": self.problem.kernel.facts(),
            "seed": self.seed,
            "particlegvi": __version__,
            "info": datasets.timeless(self.info),
        }

    @property
    def variables(self) -> list[str]:
        """The names of the coefficients, (dim,)."""
        return [f"coefficient_{number + 1}" for number in range(self.final.shape[1])]

    def to_xarray(self) -> xarray.Dataset:
        """A dataset of xarray with the data and the functions.

        ``position`` (record, particle, coordinate) holds the coefficients, ``X`` (observation, input) and ``y``
        (observation) the data, and ``function`` (particle, observation) the sampled functions at the data.
        """
        records = datasets.of_records(self.positions, self.steps, None, self.variables, self.attributes())
        return records.assign(
            X=(("observation", "input"), self.problem.X),
            y=(("observation",), self.problem.y),
            function=(("particle", "observation"), self.sample(self.problem.X)),
        )

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe` as columns by name: the coefficients of each function."""
        if not records:
            return of_particles(self.positions[-1:], self.variables)
        return of_particles(self.positions, self.variables, {"record": np.arange(len(self.steps))})

    def _repr_html_(self) -> str:
        facts = {
            "method": self.method.name,
            "functions": self.final.shape[0],
            "coefficients": self.final.shape[1],
            "observations": len(self.problem.y),
            "likelihood": self.problem.likelihood.facts(),
            "covariance": self.problem.kernel.facts(),
            "seed": self.seed,
        }
        return html.card(f"FunctionRun {self.label}", facts)

    def __repr__(self) -> str:
        count, dim = self.final.shape
        return f"FunctionRun({self.label}: {count} functions of {dim} coefficients, {len(self.problem.y)} observations)"


def _inputs(X: ArrayLike, inputs: int) -> Array:
    """Inputs as (n, inputs); with one coordinate an array (n,) is n inputs."""
    x = np.asarray(X, dtype=np.float64)
    return x[:, None] if x.ndim == 1 and inputs == 1 else x
