"""The parts of results that figures read: runs, targets and the scenario, as Protocols.

`particlegvi.runs.results.Results` fits, and so does any mapping from labels to runs with these attributes.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence, ValuesView
from typing import Any, Protocol, TypeGuard, runtime_checkable

from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Loss, Method, Prior, Run, Target
from particlegvi.integrators.schedules import Schedule
from particlegvi.tools.export.panels import CurvePanel, ScorePanel

Interval = tuple[float, float]
Targets = Mapping[str, Target | None]  # by label; None where no target is known


class Results(Protocol):
    """Runs by label, with their scenario."""

    @property
    def scenario(self) -> Mapping[str, Any]: ...  # "name", "title", "source", and further keys
    @property
    def summary(self) -> Mapping[str, Any]: ...  # numbers, as in ``summary.json``; may be empty
    @property
    def targets(self) -> Targets: ...
    def __getitem__(self, label: str, /) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def items(self) -> ItemsView[str, Any]: ...  # labels and runs in the order of the scenario
    def values(self) -> ValuesView[Any]: ...  # the runs


@runtime_checkable
class Stepped(Protocol):
    """A run that states its steps, as the line under the title of a figure does."""

    @property
    def step_size(self) -> float | Schedule: ...
    @property
    def seed(self) -> int: ...


@runtime_checkable
class ParticleRun(Stepped, Run, Protocol):
    """A run that minimises a loss over measures (`particlegvi.simulation.run.Run`)."""

    @property
    def loss(self) -> Loss: ...
    @property
    def prior(self) -> Prior: ...
    @property
    def method(self) -> Method: ...
    @property
    def times(self) -> Array: ...  # dimensionless times of the records, (records,)
    def average_loss(self) -> Array: ...  # mean loss of the particles at each record, (records,)


@runtime_checkable
class FunctionRun(Run, Protocol):
    """A fit of a function to data (`particlegvi.scenario.kinds.functions.run.FunctionRun`)."""

    @property
    def method(self) -> Any: ...  # the model that was fitted, with its ``name``
    @property
    def data(self) -> Any: ...  # ``inputs``, ``truth`` and ``value(X)``
    @property
    def problem(self) -> Any: ...  # ``X`` (n, inputs), ``y`` (n,) and ``likelihood``
    @property
    def final(self) -> Array: ...  # particles of the last record, (particles, dim)
    @property
    def seed(self) -> int: ...
    def at(self, record: int, /) -> FunctionRun: ...  # the fit as it was then
    def marginals(self, X: ArrayLike, /) -> Any: ...  # the distribution of the function at each input
    def sample(self, X: ArrayLike, /) -> Array: ...  # samples of the function, (particles, n)
    def guaranteed(self, X: ArrayLike, /) -> tuple[Array, Array] | None: ...  # ends of a certified band, (n,) each
    def eigenvalues(self) -> Array | None: ...  # of the basis, (size,), descending


@runtime_checkable
class Scored(Protocol):
    """A benchmark table (`particlegvi.scenario.tables.table.Table`)."""

    def panels(self, metrics: Sequence[str] | None = None, /) -> Sequence[ScorePanel]: ...
    @property
    def splits(self) -> int: ...  # number of splits that are averaged


@runtime_checkable
class Curved(Protocol):
    """A table of approximations (`particlegvi.scenario.tables.Table`)."""

    def curves(self, metrics: Sequence[str] | None = None, /) -> Sequence[CurvePanel]: ...
    @property
    def splits(self) -> int: ...  # number of trials


class Observed(Protocol):
    """The data of a run of networks."""

    X: Array  # inputs (n, inputs)
    y: Array  # targets (n,), or labels 0, 1, ...
    gaps: list[list[float]]  # intervals on the line without data
    truth: Callable[[Array], Array] | None  # the function behind data on the line


@runtime_checkable
class NetworkRun(ParticleRun, Protocol):
    """A run that moves networks (`particlegvi.scenario.kinds.networks.simulating.NetworkRun`)."""

    @property
    def data(self) -> Observed: ...
    @property
    def classifies(self) -> bool: ...
    @property
    def noise_sd(self) -> float: ...  # standard deviation of an observation
    def at(self, record: int, /) -> NetworkRun: ...  # the run as it was then
    def predict(self, X: ArrayLike, /) -> Array: ...  # outputs (particles, n) of the final networks
    def probabilities(self, X: ArrayLike, /) -> Array: ...  # (particles, n, classes)
    def disagreement(self, X: ArrayLike, /) -> Array: ...  # mutual information in nats, (n,)
    def process(self, X: ArrayLike, /) -> tuple[Array, Array] | None: ...  # mean and sd of the true process, if known


Runs = Mapping[str, ParticleRun]


class HasDensity(Target, Protocol):
    """A target with a density."""

    @property
    def mean(self) -> Any: ...  # a number in one dimension, else (dim,)
    @property
    def variance(self) -> Any: ...  # variance of each coordinate, shaped as the mean
    @property
    def support(self) -> tuple[Any, Any]: ...  # where the mass is: lower and upper ends, shaped as the mean
    def pdf(self, x: ArrayLike, /) -> Any: ...  # density at points (n, dim), or (n,) in one dimension
    def cdf(self, x: ArrayLike, /) -> Any: ...  # the distribution function, in one dimension
    def quantile(self, u: ArrayLike, /) -> Any: ...  # its inverse


class HasAtoms(Target, Protocol):
    """A target on finitely many points."""

    @property
    def atoms(self) -> Array: ...  # (n, dim)
    @property
    def weights(self) -> Array: ...  # their probabilities, (n,)


class HasDraws(Target, Protocol):
    """A target that is known by draws."""

    @property
    def draws(self) -> Array: ...  # (n, dim)


def is_draws(target: Target | None) -> TypeGuard[HasDraws]:
    """Whether the target is known by draws alone."""
    return target is not None and target.kind == "draws"


def is_density(target: Target | None) -> TypeGuard[HasDensity]:
    """Whether the target is known and has a density."""
    return target is not None and target.kind == "density"


def is_atoms(target: Target | None) -> TypeGuard[HasAtoms]:
    """Whether the target is known and lies on finitely many points."""
    return target is not None and target.kind == "atoms"
