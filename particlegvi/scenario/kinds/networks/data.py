"""The data of a scenario of networks, and the rows for scores: near, between and beyond the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from particlegvi import datasets
from particlegvi.contracts import Array, Facts
from particlegvi.datasets import standard_splits
from particlegvi.engine.numerics import threads
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.losses.loss import Loss
from particlegvi.tools.registry import nearest

STREAM = 7  # separates the draws of the data from other draws with the seed of the run
TESTED = 400  # number of rows to score on, in the region of the data
GRID = 201
FAR, BEYOND = 1.0, (5.0, 10.0)  # distance from all data; largest coordinate beyond the context
MOONS_BOX = ((-3.5, 4.5), (-3.75, 4.25))
MOONS_TESTED = 1000


@dataclass
class Drawn:
    """Data, scaled for the networks, and rows to score on."""

    X: Array  # (n, inputs)
    y: Array  # (n,)
    # rows (X, y) to score on, by name; "test" or "inside" is the region of the data
    regions: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    # inputs without targets, by name: "far" from the data, and "beyond" the box of the context inputs
    places: dict[str, Array] = field(default_factory=dict)
    truth: Callable[[Array], Array] | None = None  # the function behind data on the line, (n,) to (n,)
    gaps: list[list[float]] = field(default_factory=list)
    # lengthscale of the Gaussian process behind the data (0 if there is none), and standard deviation of the noise
    lengthscale: float = 0.0
    noise_sd: float = 0.0
    scale: float = 1.0  # factor from the networks' targets to the original units

    def process(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation (n,) of the function given the data, under the process that made the function."""
        covariance = lambda a, b: np.exp(-0.5 * ((a - b.T) / self.lengthscale) ** 2)
        with threads.one_blas_thread():
            K = covariance(self.X, self.X) + self.noise_sd**2 * np.eye(len(self.X))
            cross = covariance(self.X, X)
            weights = np.linalg.solve(K, cross)
            return weights.T @ self.y, np.sqrt(np.maximum(1.0 - np.sum(cross * weights, axis=0), 0.0))


def inputs_of(settings: Facts) -> tuple[int, str]:
    """The number of inputs and the task of checked data; a ValueError for an unknown data set."""
    if "formula" in settings or settings.get("name") == "gaussian-process":
        return 1, "regression"
    if settings.get("name") == "two-moons":
        return 2, "classification"
    if "points" in settings:
        return len(settings["points"][0]) - 1, "regression"
    dataset = _dataset(settings["name"])
    return dataset.X.shape[1], dataset.task


def _dataset(name: str) -> datasets.Dataset:
    close = nearest(name, ("gaussian-process", "two-moons"))
    if close is not None and name not in datasets.names():
        raise ValueError(f'there is no data set "{name}"; did you mean "{close}"?')
    return datasets.load(name)


def drawn(settings: Facts, seed: int) -> Drawn:
    """The data of checked settings; drawn data are functions of the seed."""
    random = np.random.default_rng([STREAM, seed])
    if "formula" in settings or settings.get("name") == "gaussian-process":
        return _on_the_line(settings, random)
    if settings.get("name") == "two-moons":
        return _moons(settings, random)
    if "points" in settings:
        table = np.array(settings["points"], dtype=np.float64)
        return Drawn(table[:, :-1].copy(), table[:, -1].copy())
    return _named(settings)


def _on_the_line(settings: Facts, random: np.random.Generator) -> Drawn:
    low, high, count, sd = (settings[key] for key in ("low", "high", "count", "noise_sd"))
    gaps = settings["gaps"]
    margin = (high - low) / 6.0

    def spread(number: int, scattered: bool) -> Array:
        """Inputs outside the gaps; each interval between gaps gets a number in proportion to its length."""
        ends = [low, *(end for gap in sorted(gaps) for end in gap), high]
        sides = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if b > a]
        if not sides:
            raise ValueError("data.gaps must leave a place for data, not cover all of it")
        total = sum(b - a for a, b in sides)
        shares = [max(1, round(number * (b - a) / total)) for a, b in sides]
        parts = [
            np.sort(random.uniform(a, b, k)) if scattered else np.linspace(a, b, k)
            for (a, b), k in zip(sides, shares, strict=True)
        ]
        return np.concatenate(parts)

    x = spread(count, settings["scattered"])
    places = {"inside": spread(TESTED, True)}
    if gaps:
        places["gap"] = np.concatenate([np.linspace(a, b, GRID) for a, b in gaps])
    places["outside"] = np.r_[np.linspace(low - margin, low, GRID), np.linspace(high, high + margin, GRID)]
    if "formula" in settings:
        function = Loss.from_formula(settings["formula"], ["x"])
        truth: Callable[[Array], Array] = lambda at: np.asarray(function.value(at[:, None]), dtype=np.float64)
        if not np.all(np.isfinite(truth(x))):
            raise ValueError(f"data.formula must be finite at the data, not at {x[np.argmin(np.isfinite(truth(x)))]:g}")
    else:
        truth = _process(low - margin, high + margin, settings["lengthscale"], random)
    regions = {name: (at[:, None], truth(at) + sd * random.standard_normal(len(at))) for name, at in places.items()}
    y = truth(x) + sd * random.standard_normal(len(x))
    return Drawn(x[:, None], y, regions, {}, truth, gaps, settings.get("lengthscale", 0.0), sd)


def _process(low: float, high: float, lengthscale: float, random: np.random.Generator) -> Callable[[Array], Array]:
    """A draw from the Gaussian process with the kernel exp(-r^2 / (2 lengthscale^2)).

    It is a sum of kernels at nodes half a lengthscale apart. Its values at the nodes have the law of the process. In
    between it is the mean of the process given these values, whose error is at most 1e-3 of the standard deviation.
    """
    nodes = np.linspace(low - lengthscale, high + lengthscale, max(8, int(4.0 * (high - low + 2.0) / lengthscale)))
    covariance = lambda a, b: np.exp(-0.5 * ((a[:, None] - b) / lengthscale) ** 2)
    with threads.one_blas_thread():
        K = covariance(nodes, nodes) + 1e-9 * np.eye(len(nodes))
        root = np.linalg.cholesky(K)
        weights = np.linalg.solve(root.T, random.standard_normal(len(nodes)))
    return lambda at: covariance(np.asarray(at, dtype=np.float64), nodes) @ weights


def _moons(settings: Facts, random: np.random.Generator) -> Drawn:
    def moons(number: int) -> tuple[Array, Array]:
        angle = random.uniform(0.0, np.pi, number)
        label = random.integers(0, 2, number)
        label[:2] = 0, 1  # both classes occur
        x = np.where(label == 0, np.cos(angle), 1.0 - np.cos(angle))
        y = np.where(label == 0, np.sin(angle), 0.5 - np.sin(angle))
        points = np.column_stack([x, y]) + settings["noise_sd"] * random.standard_normal((number, 2))
        return points, label.astype(np.float64)

    X, y = moons(settings["count"])
    low, high = np.array(MOONS_BOX).T
    far = away(X, low, high, FAR, MOONS_TESTED, random)
    wide = random.uniform(-BEYOND[1], BEYOND[1], (4 * MOONS_TESTED, 2))
    beyond = wide[np.abs(wide).max(axis=1) > BEYOND[0]][:MOONS_TESTED]
    return Drawn(X, y, {"test": moons(MOONS_TESTED)}, {"far": far, "beyond": beyond})


def away(X: Array, low: Array, high: Array, distance: float, number: int, random: np.random.Generator) -> Array:
    """Uniform points (number, inputs) in a box, at least ``distance`` from all rows of X; a ValueError if none is."""
    kept = np.empty((0, X.shape[1]))
    for _ in range(1000):
        points = random.uniform(low, high, (4 * number, X.shape[1]))
        nearest_row = np.min([np.sum((points - row) ** 2, axis=1) for row in X], axis=0)
        kept = np.concatenate([kept, points[nearest_row > distance * distance]])
        if len(kept) >= number:
            return kept[:number]
    raise ValueError(f"away must leave points of the box that are so far from all data, not be {distance:g}")


def _named(settings: Facts) -> Drawn:
    dataset = datasets.load(settings["name"])
    *_, (train, test) = standard_splits(len(dataset.y), settings["split"] + 1)
    X, y = dataset.X, dataset.y
    mean, sd = X[train].mean(axis=0), column_sd(X[train])
    centre, scale = 0.0, 1.0
    if settings["scale"]:
        X = (X - mean) / sd
        if dataset.task == "regression":
            centre, scale = float(y[train].mean()), float(column_sd(y[train]))
    y = (y - centre) / scale
    return Drawn(X[train].copy(), y[train].copy(), {"test": (X[test].copy(), y[test].copy())}, scale=scale)
