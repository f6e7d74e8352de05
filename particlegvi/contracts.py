"""The contracts of the parts, as Protocols: what each must have to work with the others. Read this first.

A part is good if it has these names, whatever it inherits from. Arrays are float64, of the shapes in parentheses. A
user's own part is checked against its contract when it is handed in (`particlegvi.tools.objects`).

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, prior) + kl_weight KL(Q, prior)

A `Method` says which weights are on and makes a `Flow`, which moves particles; a `Storage` takes what the flow leaves
behind; a `Run` is that, read again; a `Target` is the minimiser Q*. Over functions a `Likelihood` and a `Covariance`
make the problem, a `Basis` the coordinates, and a `Model` fits it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

# As texts: a program that imports this module does not load numpy.
Array: TypeAlias = "NDArray[np.float64]"
Start: TypeAlias = "Prior | Array"  # where particles start: a distribution, or points (particles, dim)
Facts: TypeAlias = "dict[str, Any]"  # names and values, as JSON can hold them
Scenario: TypeAlias = "Mapping[str, Any]"  # a complete one, as plain data
Stage: TypeAlias = Literal["compiling", "scenarios", "steps", "truth", "pictures"]
Objective: TypeAlias = Literal["measures", "gaussians", "reference", "none"]


class Progress(Protocol):  # called now and then
    def __call__(self, label: str, done: int, total: int, /) -> None: ...


class StepProgress(Protocol):  # called now and then
    def __call__(self, steps_done: int, steps: int, /) -> None: ...


# An argument: a function, True for a bar, "auto" for one where a user looks on, False or None for nothing.
Listening: TypeAlias = "Progress | bool | Literal['auto'] | None"
StepListening: TypeAlias = "StepProgress | bool | Literal['auto'] | None"


@runtime_checkable
class Stages(Protocol):
    """An optional part of a `Progress` or `StepProgress`: it is told of whatever takes long before it begins."""

    def stage(self, name: Stage, done: int, total: int, /) -> None: ...  # parts done; a total of 0 is unknown


class Term(Protocol):
    """A function of a point that compiled code can call: a ``NamedTuple`` with at least one field."""

    def value(self, x: Array, /) -> float: ...  # at one point (dim,)
    def gradient(self, x: Array, out: Array, /) -> None: ...  # fills out (dim,)


class Loss(Protocol):
    """A function on R^dim with its gradient."""

    @property
    def dim(self) -> int: ...  # number of coordinates
    @property
    def name(self) -> str: ...  # what tables and figures call it
    @property
    def term(self) -> Term | None: ...  # for compiled code; None where it is in Python only
    def value(self, x: ArrayLike, /) -> Any: ...  # the loss at points (n, dim): an array (n,)
    def gradient(self, x: ArrayLike, /) -> Array: ...  # its gradient at points (n, dim): an array (n, dim)
    # the gradient that the step of this number uses, of a minibatch or all data; row i belongs to particle i
    def gradient_at(self, points: Array, step: int, seed: int, /) -> Array: ...


class Kernel(Protocol):
    """A kernel of the MMD, kappa(a, b) = value(|a - b|^2)."""

    @property
    def name(self) -> str: ...  # name in the registry
    @property
    def lengthscale(self) -> Any: ...  # a positive number, or the name of the rule that chooses one when a run starts
    @property
    def variance(self) -> float: ...  # kappa(0), for kernels that are finite there
    def value(self, r2: float, /) -> float: ...  # kappa at a squared distance
    def slope(self, r2: float, /) -> float: ...  # d kappa / d(r2): grad_1 kappa(a, b) = 2 slope(r2) (a - b)


@runtime_checkable
class Distribution(Protocol):
    """A distribution, as opposed to an array of points: ``isinstance(thing, Distribution)`` tells which it is."""

    def log_density(self, x: ArrayLike, /) -> Array: ...  # log p at points (n, dim): an array (n,)


class Prior(Distribution, Protocol):
    """The reference measure P. It may also be `Located`, and know means of Gaussians (``smooth``, ``average``)."""

    @property
    def name(self) -> str: ...  # name in the registry
    @property
    def dim(self) -> int: ...  # number of coordinates
    @property
    def low(self) -> Array: ...  # lower ends of its box, (dim,); minus infinity where there is none
    @property
    def high(self) -> Array: ...  # upper ends, (dim,)
    def gradient(self, x: ArrayLike, /) -> Array: ...  # gradient of log p at points (n, dim): an array (n, dim)
    # independent draws (particles, dim), functions of the seed, the role and their index
    def sample(self, particles: int, /, seed: int = 0, role: str = "start") -> Array: ...
    def term(self) -> Term: ...  # minus the log density, for compiled code


@runtime_checkable
class Located(Protocol):
    """An optional part of a `Prior`: it is a probability with finite moments."""

    @property
    def mean(self) -> Array: ...  # (dim,)
    @property
    def sd(self) -> Array: ...  # standard deviations, (dim,)


@runtime_checkable
class Placed(Protocol):
    """An optional part of a `Prior` whose tails may be too heavy for moments: where it is, and how wide."""

    @property
    def location(self) -> Array: ...  # (dim,)
    @property
    def scale(self) -> Array: ...  # (dim,)


class Method(Protocol):
    """An objective, and the flow that minimises it by moving particles.

    ``objective`` is the set over which L(Q) is minimised: "measures" (all, with the weights below), "gaussians" (with
    independent coordinates), "reference" (a distance to a given measure) or "none"; the last two have no `Target`. A
    method with a method ``target`` says its `Target` itself (`particlegvi.targets.own`).
    """

    @property
    def label(self) -> str: ...  # what tables and figures call it
    @property
    def objective(self) -> Objective: ...
    @property
    def kl_weight(self) -> float: ...  # weight of KL(Q, P), the temperature; 0 where the objective has none
    @property
    def mmd_weight(self) -> float: ...  # weight of MMD^2(Q, P); 0 where the objective has none
    @property
    def kernel(self) -> Kernel | None: ...  # kernel of the MMD; None is the default one
    @property
    def has_noise(self) -> bool: ...  # whether every particle moves with noise of its own, so that each is a chain
    @property
    def schedules(self) -> bool: ...  # whether step sizes may change during a run
    @property
    def follows_loss(self) -> bool: ...  # whether the curvature of the loss limits the step size
    def check_integrator(self, name: str, /) -> None: ...  # a ValueError if this integrator is wrong for the method
    def with_kernel(self, kernel: Kernel, /) -> Method: ...  # the same method with another kernel
    def flow(self, problem: Any, /) -> Flow: ...  # for one `particlegvi.methods.flow.ParticleProblem`


class Moving(Protocol):
    """A state that takes steps, reproducible from ``state``, `extra_state` and the step number."""

    @property
    def state(self) -> Array: ...  # what moves: one C-contiguous array
    # take steps first_step, ..., first_step + steps - 1. How steps are grouped changes no bit
    def advance(self, first_step: int, steps: int, /) -> None: ...
    def extra_state(self) -> dict[str, Any]: ...  # what there is to keep besides the state, as JSON can hold it
    def restore(self, state: Array, extra_state: dict[str, Any], /) -> None: ...  # go where another was


class Flow(Moving, Protocol):
    """A state that stands for particles."""

    def particles(self) -> Array: ...  # the particles (particles, dim) that the state stands for
    def first_bad(self) -> int: ...  # index of the first non-finite particle, or -1
    def facts(self) -> dict[str, Any]: ...  # what was chosen and used, as JSON can hold it


class Snapshot(NamedTuple):
    """All that is needed to go on with a run."""

    step: int  # steps done
    state: Array  # of the flow
    extra_state: dict[str, Any]  # by the flow: `Moving.extra_state`
    facts: dict[str, Any]  # of the flow, or of a fit of functions
    records: int  # records taken up to that step
    constants: Mapping[str, Array] = {}  # arrays that the run has computed and that no later step changes


class Record(NamedTuple):
    """The stored form of the run of one method."""

    arrays: Mapping[str, NDArray[Any]]  # "positions" (records, particles, dim), "steps" (records,), and others by name
    info: dict[str, Any]  # facts about how it was made, as JSON can hold them
    files: Mapping[str, str] = {}  # texts by the name of the file in the folder


class Storage(Protocol):
    """Takes the records of a run, and snapshots where it can store them."""

    @property
    def count(self) -> int: ...  # records taken so far
    # prepare for ``records`` records of ``shape`` (0: snapshots only); the snapshot to go on from, or None
    def start(self, records: int, shape: tuple[int, ...], /) -> Snapshot | None: ...
    def append(self, positions: Array, /) -> None: ...  # take the next record
    def positions(self) -> Array: ...  # the records so far, (records, particles, dim)
    def is_due(self) -> bool: ...  # whether it is time for a snapshot
    def save(self, snapshot: Snapshot, /) -> None: ...  # store a snapshot


class Run(Protocol):
    """The records of one method."""

    label: str

    @property
    def positions(self) -> Array: ...  # (records, particles, dim)
    @property
    def steps(self) -> NDArray[np.int64]: ...  # step numbers of the records, (records,); 0 is the start
    @property
    def info(self) -> dict[str, Any]: ...  # facts about how it was made, as JSON can hold them


class Target(Protocol):
    """The minimiser Q* of a method's objective."""

    @property
    def kind(self) -> Literal["density", "atoms", "gaussians", "draws"]: ...
    @property
    def dim(self) -> int: ...
    def sample(self, number: int, /, seed: int = 0) -> Array: ...  # independent draws (number, dim)


class Likelihood(Protocol):
    """p(y|f) of one observation given the function's value, with the cost c(y, f) = -log p(y|f) + a constant of y."""

    @property
    def name(self) -> str: ...  # name in the registry
    @property
    def quadratic(self) -> bool: ...  # whether c is quadratic in f
    @property
    def even(self) -> bool: ...  # whether c(y, -f) = c(y, f)
    @property
    def convex(self) -> bool: ...  # whether c is convex in f
    @property
    def curvature_bound(self) -> float: ...  # supremum of the second derivative of c
    @property
    def slope_bound(self) -> float: ...  # supremum of the size of dc/df, infinite where there is none
    def cost(self, f: ArrayLike, y: ArrayLike, /) -> Array: ...  # c(y, f), for arrays that broadcast against each other
    def slope(self, f: ArrayLike, y: ArrayLike, /) -> Array: ...  # dc/df
    def curvature(self, f: ArrayLike, y: ArrayLike, /) -> Array: ...  # d^2c/df^2
    def log_density(self, y: Any, f: Any, /) -> Any: ...  # log p(y|f)
    def information(self, f: ArrayLike, /) -> Array: ...  # Fisher information about f, or an upper bound of it
    def mean(self, f: ArrayLike, /) -> Array: ...  # mean of y given f
    def variance(self, f: ArrayLike, /) -> Array: ...  # variance of y given f
    # draws of y given f, by a generator, or a seed, or None for fresh numbers
    def sample(self, f: ArrayLike, random: np.random.Generator | int | None = None, /) -> Array: ...
    def levels(self, y: Array, /) -> Array: ...  # values of f that y (n,) suggests, (levels, n); none for labels
    def check_targets(self, y: ArrayLike, rows: int, /) -> Array: ...  # the observations (rows,), or a ValueError
    def facts(self) -> dict[str, Any]: ...  # the name and the parameters


class Covariance(Protocol):
    """A positive semi-definite function k of two inputs."""

    @property
    def name(self) -> str: ...  # name in the registry
    # k(A, B), shape (n, m), for inputs (n, inputs) and (m, inputs); k(A, A) without B
    def __call__(self, A: ArrayLike, B: ArrayLike | None = None, /) -> Array: ...
    def diagonal(self, A: ArrayLike, /) -> Array: ...  # k(a, a) for each row of A, (n,)
    def facts(self) -> dict[str, Any]: ...  # the name and the parameters


@runtime_checkable
class Basis(Protocol):
    """Functions e_1, ..., e_size."""

    @property
    def name(self) -> str: ...  # for messages
    @property
    def covariance(self) -> Covariance: ...
    @property
    def inputs(self) -> int: ...  # number of coordinates of an input
    @property
    def size(self) -> int: ...  # number of functions
    def features(self, X: ArrayLike, /) -> Array: ...  # e_m(x_n), shape (n, size)
    def prior_variances(self, prior: str, /) -> Array: ...  # of the coefficients, (size,), for "rkhs" or "gp"
    def state(self) -> dict[str, Any]: ...  # arrays and numbers that a folder of a run keeps, by name
    def facts(self) -> dict[str, Any]: ...  # how the basis was made, as JSON can hold it


class Model(Protocol):
    """A method that fits functions to data."""

    @property
    def name(self) -> str: ...  # name in the registry
    def check(self, likelihood: Likelihood, /) -> None: ...  # a ValueError if the method cannot have this likelihood
    # fit (`particlegvi.scenario.kinds.functions.problem`): particles, facts and the arrays that `restore` needs
    def fit(self, problem: Any, progress: StepProgress | None = None, storage: Storage | None = None, /) -> Any: ...
    def restore(self, problem: Any, fit: Any, /) -> Any: ...  # the posterior as it was after its fit
