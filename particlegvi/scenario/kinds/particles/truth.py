"""The target Q* of each run, computed when it is first needed; and as a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from particlegvi import targets
from particlegvi.contracts import Facts, Target
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.run import Run
from particlegvi.targets.basins.atoms import AtomicTarget
from particlegvi.targets.density import DensityTarget
from particlegvi.targets.draws import Draws
from particlegvi.targets.gaussians import GaussianOptima
from particlegvi.tools.export.columns import unique
from particlegvi.tools.export.datasets import Coordinates, dataset

if TYPE_CHECKING:
    import xarray

POINTS = {1: 1001, 2: 151}  # points of the grid in each coordinate, by dimension
NAMES = ("pdf", "atoms", "weights", "mean", "sd", "objective", "atom", "optimum", "coordinate")
REACH = 6.0  # standard deviations of the best Gaussian


class Targets(Mapping[str, Any]):
    """The target of every run by label; None if there is none, and then ``reasons`` has a sentence that says why.

    Equal targets are taken from ``before``, the targets of runs of these parts with another seed.
    """

    def __init__(self, runs: Mapping[str, Run], parts: Parts, before: Targets | None = None) -> None:
        self._runs = runs
        self._parts = parts
        self._reference = None if parts.reference is None else Draws(parts.reference)  # the truth of every method
        self._found: Facts = {}
        self.reasons: dict[str, str] = {}
        self._before: dict[tuple[str, object], tuple[Target | None, str]] = {} if before is None else before.known()

    def __getitem__(self, label: str) -> Any:
        run = self._runs[label]
        if self._reference is not None:
            return self._reference
        if label not in self._found:
            self._found[label], reason = self._before.get(self._key(label)) or self._solved(run)
            if reason:
                self.reasons[label] = reason
        return self._found[label]

    def _solved(self, run: Run) -> tuple[Target | None, str]:
        try:
            with one_blas_thread():  # so that the last digits do not depend on the number of processors
                return targets.target(run.loss, run.method, run.prior, self.start(run), seed=run.seed), ""
        except ValueError as error:
            return None, str(error)

    def known(self) -> dict[tuple[str, object], tuple[Target | None, str]]:
        """The targets found so far, or the reason why there is none, by label and lengthscale."""
        solved = {self._key(label): (target, self.reasons.get(label, "")) for label, target in self._found.items()}
        return {**self._before, **solved}

    def _key(self, label: str) -> tuple[str, object]:
        """The label, and the lengthscale if a rule chooses it for each seed."""
        run = self._runs[label]
        if run.method.mmd_weight == 0.0:
            return label, None
        number = run.info.get("lengthscale")
        return label, number if isinstance(number, int | float) else f"of seed {run.seed}"

    def start(self, run: Run) -> Any:
        """The start of the particles: a distribution, or points (particles, dim)."""
        return run.prior if self._parts.initial is None else self._parts.initial

    def first_start(self, run: Run) -> NDArray[np.float64]:
        """The start of the first particle, (dim,): FD-GVI puts the mean of its first Gaussian there."""
        start = self.start(run)
        return start[0] if isinstance(start, np.ndarray) else start.sample(1, seed=run.seed)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


def as_dataset(target: object, names: list[str]) -> xarray.Dataset | None:
    """A target as a dataset, or None; ``names`` of the coordinates become the dimensions of a density's grid.

    For a density, ``pdf`` over a regular grid of its support. For atoms, ``atoms`` (atom, coordinate) and ``weights``
    (atom). For the Gaussians of FD-GVI, ``mean``, ``sd`` (optimum, coordinate) and ``objective`` (optimum), the best
    first, and the ``pdf`` of the best.
    """
    if isinstance(target, DensityTarget):
        low, high = np.atleast_1d(target.support[0]), np.atleast_1d(target.support[1])
        facts = _facts(target.kind, target.mean, target.variance, target.residual) | {"error": target.error}
        return dataset(*_density(target, low, high, names), facts)
    if isinstance(target, GaussianOptima):
        best = target.optima[0]
        variables, along = _density(target, best.mean - REACH * best.sd, best.mean + REACH * best.sd, names)
        variables["mean"] = (("optimum", "coordinate"), np.array([optimum.mean for optimum in target.optima]))
        variables["sd"] = (("optimum", "coordinate"), np.array([optimum.sd for optimum in target.optima]))
        variables["objective"] = (("optimum",), np.array([optimum.objective for optimum in target.optima]))
        along["coordinate"] = (("coordinate",), names)
        return dataset(variables, along, _facts(target.kind, target.mean, target.variance, target.residual))
    if isinstance(target, AtomicTarget):
        atoms: Coordinates = {
            "atoms": (("atom", "coordinate"), target.atoms),
            "weights": (("atom",), target.weights),
        }
        facts = _facts(target.kind, target.mean, target.variance, target.residual) | {"error": target.error}
        return dataset(atoms, {"coordinate": (("coordinate",), names)}, facts)
    return None


def _density(
    target: DensityTarget | GaussianOptima, low: np.ndarray, high: np.ndarray, names: list[str]
) -> tuple[Coordinates, Coordinates]:
    axes = [np.linspace(a, b, POINTS[target.dim]) for a, b in zip(low, high, strict=True)]
    dims = tuple(unique(names, NAMES))
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, target.dim)
    values = np.asarray(target.pdf(points)).reshape([len(axis) for axis in axes])
    return {"pdf": (dims, values)}, {name: ((name,), axis) for name, axis in zip(dims, axes, strict=True)}


def _facts(kind: str, mean: object, variance: object, residual: float) -> Facts:
    return {
        "kind": kind,
        "mean": np.asarray(mean).tolist(),
        "variance": np.asarray(variance).tolist(),
        "residual": residual,
    }
