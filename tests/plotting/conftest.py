"""Small results for the figures: real particles of a plain numpy simulation, and truths by quadrature on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import particlegvi as pg


@dataclass
class PlainLoss:
    """A loss as an array function, like `particlegvi.losses.loss.Loss`."""

    function: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    dim: int
    name: str

    def value(self, x: np.ndarray) -> np.ndarray:
        return self.function(np.asarray(x, dtype=float).reshape(-1, self.dim))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        return self.slope(np.asarray(x, dtype=float).reshape(-1, self.dim))


@dataclass
class PlainPrior:
    """A Normal, Uniform or Flat prior."""

    name: str
    dim: int = 1
    low: np.ndarray = field(default_factory=lambda: np.array([-np.inf]))
    high: np.ndarray = field(default_factory=lambda: np.array([np.inf]))

    def log_density(self, x: np.ndarray) -> np.ndarray:
        if self.name == "normal":
            return -0.5 * np.sum(x**2, axis=1) - 0.5 * self.dim * math.log(2 * math.pi)
        return np.zeros(len(x))


@dataclass
class PlainMethod:
    label: str
    kl_weight: float = 0.0
    mmd_weight: float = 0.0


@dataclass
class PlainRun:
    label: str
    loss: PlainLoss
    prior: PlainPrior
    method: PlainMethod
    positions: np.ndarray
    steps: np.ndarray
    step_size: float
    seed: int = 0
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def times(self) -> np.ndarray:
        return self.steps * self.step_size

    @property
    def final(self) -> np.ndarray:
        return self.positions[-1]

    @property
    def initial(self) -> np.ndarray:
        return self.positions[0]

    def average_loss(self) -> np.ndarray:
        return np.array([np.mean(self.loss.value(record)) for record in self.positions])


class GridDensity:
    """exp(-potential) normalised on a grid: the truth of DLE, in one or two dimensions."""

    kind = "density"

    def __init__(self, potential: Callable[[np.ndarray], np.ndarray], low: float, high: float, dim: int = 1) -> None:
        self.dim, self.potential = dim, potential
        size = 200_001 if dim == 1 else 401
        axis = np.linspace(low, high, size)
        points = axis[:, None] if dim == 1 else np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
        self.shift = float(np.min(potential(points)))
        weight = np.exp(-(potential(points) - self.shift))
        self.mass = float(weight.sum() * (axis[1] - axis[0]) ** dim)
        weight /= weight.sum()
        self.mean = weight @ points if dim > 1 else float(weight @ points[:, 0])
        self.variance = weight @ (points - self.mean) ** 2 if dim > 1 else float(weight @ (axis - self.mean) ** 2)
        self.axis, self.cumulative = axis, np.cumsum(weight)

    def pdf(self, x: np.ndarray) -> np.ndarray:
        return np.exp(-(self.potential(np.asarray(x, dtype=float).reshape(-1, self.dim)) - self.shift)) / self.mass

    def quantile(self, u: np.ndarray) -> np.ndarray:
        return np.interp(u, self.cumulative, self.axis)


@dataclass
class Atoms:
    atoms: np.ndarray
    weights: np.ndarray
    kind: str = "atoms"

    @property
    def dim(self) -> int:
        return self.atoms.shape[1]


class PlainResults(Mapping[str, PlainRun]):
    """A mapping from labels to runs with what the figures read beside them."""

    def __init__(self, runs: list[PlainRun], scenario: dict, summary: dict, targets: dict) -> None:
        self.runs = {run.label: run for run in runs}
        self.scenario, self.summary, self.targets, self.folder = scenario, summary, targets, None

    def __getitem__(self, label: str) -> PlainRun:
        return self.runs[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)


def flow(
    loss: PlainLoss, prior: PlainPrior, method: PlainMethod, start: np.ndarray, steps: int, step_size: float, keep: int
) -> PlainRun:
    """Euler-Maruyama on the loss, with the attraction of a standard normal prior where there is one (C.123)."""
    rng = np.random.default_rng(3)
    places, records = start.copy(), [start.copy()]
    for step in range(1, steps + 1):
        drift = loss.gradient(places)
        if prior.name == "normal":
            drift = drift + method.kl_weight * places
        if method.mmd_weight:
            gaps = places[:, None, :] - places[None, :, :]
            kappa = np.exp(-0.5 * np.sum(gaps**2, axis=2))
            drift = drift - 2 * method.mmd_weight * np.mean(gaps * kappa[:, :, None], axis=1)
        noise = rng.standard_normal(places.shape)
        places = places - step_size * drift + math.sqrt(2 * step_size * method.kl_weight) * noise
        places = np.clip(places, prior.low, prior.high)
        if step % (steps // keep) == 0:
            records.append(places.copy())
    numbers = np.arange(len(records)) * (steps // keep)
    return PlainRun(method.label, loss, prior, method, np.array(records), numbers, step_size)


TILTED = PlainLoss(
    lambda x: 1.5 * (x[:, 0] ** 4 / 4 + x[:, 0] ** 3 / 3 - x[:, 0] ** 2) - 0.375,
    lambda x: 1.5 * (x**3 + x**2 - 2 * x),
    1,
    "tilted-double-well",
)
DOUBLE = PlainLoss(
    lambda x: 3 * (x[:, 0] ** 2 - 1) ** 2, lambda x: 12 * x * (x**2 - 1), 1, "double-well"
)
SINE = PlainLoss(
    lambda x: -np.abs(np.sin(x[:, 0])), lambda x: -np.sign(np.sin(x)) * np.cos(x), 1, "abs-sine"
)
CORNERS = np.array([[3.0, 3.0], [3.0, -3.0], [-3.0, 3.0], [-3.0, -3.0]])


def _four(x: np.ndarray) -> np.ndarray:
    squares = np.sum((x[:, None, :] - CORNERS) ** 2, axis=2)
    return -np.log(np.mean(np.exp(-0.5 * squares), axis=1) + 1e-300) + math.log(2 * math.pi)


FOUR = PlainLoss(_four, lambda x: x - 3 * np.tanh(3 * x), 2, "four-gaussians")


def line_results(particles: int = 60, steps: int = 400) -> PlainResults:
    """Figure 5.2 in small: DE, DLE and DRLE on the tilted double well."""
    prior = PlainPrior("normal")
    start = np.random.default_rng(1).standard_normal((particles, 1))
    methods = [PlainMethod("DE"), PlainMethod("DLE", 1.0), PlainMethod("DRLE", 1.0, 0.5)]
    runs = [flow(TILTED, prior, method, start, steps, 8.0 / steps, 100) for method in methods]
    density = GridDensity(lambda x: TILTED.value(x) + 0.5 * x[:, 0] ** 2, -7.0, 7.0)
    facts = {"DLE": {"w1": 0.0712, "w1_floor": [0.032, 0.116]}, "DRLE": {"w1": 0.0523, "w1_floor": [0.034, 0.12]}}
    scenario = {"name": "global-minimiser", "title": "Which measure?", "source": "thesis, Figure 5.2"}
    targets = {"DE": Atoms(np.array([[-2.0], [1.0]]), np.array([0.5, 0.5])), "DLE": density, "DRLE": density}
    return PlainResults(runs, scenario, {"methods": facts}, targets)


def plane_results(particles: int = 60, steps: int = 200) -> PlainResults:
    """Figures 5.3 and C.1 in small: three particle methods and a fitted Gaussian on four wells."""
    prior = PlainPrior("flat", 2, np.full(2, -np.inf), np.full(2, np.inf))
    start = np.random.default_rng(2).standard_normal((particles, 2))
    methods = [PlainMethod("DE"), PlainMethod("DLE", 0.2), PlainMethod("DRLE", 0.2, 0.3)]
    runs = [flow(FOUR, prior, method, start, steps, 0.05, 50) for method in methods]
    mean, sd = np.array([3.0, 3.0]), np.array([0.7, 0.7])
    draws = mean + sd * np.random.default_rng(4).standard_normal((3, particles, 2))
    gaussian = PlainRun("FD-GVI", FOUR, prior, PlainMethod("FDGVI", 0.5), draws, np.array([0, 50, 100]), 0.1)
    gaussian.info = {"mean": mean.tolist(), "sd": sd.tolist()}
    density = GridDensity(lambda x: FOUR.value(x) / 0.2, -8.0, 8.0, dim=2)
    targets = {"DE": Atoms(CORNERS, np.full(4, 0.25)), "DLE": density, "DRLE": density, "FD-GVI": None}
    scenario = {"name": "multimodal", "title": "Many particles or one Gaussian?", "source": "thesis, Figure 5.3"}
    return PlainResults([*runs, gaussian], scenario, {}, targets)


def bucket_results(particles: int = 20) -> PlainResults:
    """Figure 5.4: more minima than particles."""
    edge = 1000 * math.pi
    prior = PlainPrior("uniform", 1, np.array([-edge]), np.array([edge]))
    start = np.random.default_rng(5).uniform(-edge, edge, (particles, 1))
    methods = [PlainMethod("DE"), PlainMethod("DLE", 0.001), PlainMethod("DRLE", 0.001, 0.3)]
    runs = [flow(SINE, prior, method, start, 1000, 0.01, 50) for method in methods]
    density = GridDensity(lambda x: SINE.value(x) / 0.001, -3 * math.pi, 3 * math.pi)
    scenario = {"name": "more-modes", "title": "More modes than particles", "source": "thesis, Figure 5.4"}
    return PlainResults(runs, scenario, {}, {"DE": None, "DLE": density, "DRLE": density})


def lifting_results(particles: int = 60) -> PlainResults:
    """Figure 2.2: a symmetric double well and its Q*."""
    prior = PlainPrior("normal")
    start = np.random.default_rng(6).standard_normal((particles, 1))
    run = flow(DOUBLE, prior, PlainMethod("DLE", 1.0), start, 400, 0.005, 50)
    density = GridDensity(lambda x: DOUBLE.value(x) + 0.5 * x[:, 0] ** 2, -5.0, 5.0)
    scenario = {"name": "lifting", "title": "Lifting a loss to measures", "source": "thesis, Figure 2.2"}
    return PlainResults([run], scenario, {}, {"DLE": density})


@pytest.fixture(scope="session")
def line() -> PlainResults:
    return line_results()


@pytest.fixture(scope="session")
def plane() -> PlainResults:
    return plane_results()


@pytest.fixture(scope="session")
def minima() -> PlainResults:
    return bucket_results()


@pytest.fixture(scope="session")
def lifted() -> PlainResults:
    return lifting_results()


@pytest.fixture
def fitted():
    """Functions fitted to counts, whose posterior has two halves."""
    return pg.run(
        {
            "kind": "function-space",
            "name": "fitted",
            "title": "Counts",
            "data": {"formula": "2*sin(2*x)", "count": 40},
            "kernel": {"lengthscale": 0.9},
            "likelihood": "poisson-square",
            "inducing_points": 8,
            "particles": 12,
            "methods": {"mixing": {"method": "PLS"}, "plain": {"method": "PLS", "moves": "none", "steps": 20}},
        }
    )


@pytest.fixture(scope="session")
def replicated() -> Any:
    return pg.run("repulsion-pays", steps=40, replicates=3)
