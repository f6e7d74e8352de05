"""Laws over functions between which KL is infinite, and laws of different weights between which it is 0."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.functionspace import covariances, residuals
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification.chance import ERRORS
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture


class DegenerateProcess(Claim):
    """A process of rank 10 and the Matern-1/2 process whose regressors it has, at 20, 30 and 40 inputs: with every
    decade that a nugget on both is smaller KL grows by ln(10)/2 for each input beyond the rank.

    Wrong: the process that keeps the residual, whose KL is 0.
    """

    name = "sor-singular"
    claim = "KL of a process of rank k to its Gaussian process is infinite at more than k inputs"
    source = "004, Propositions 4 and 8; 003, Figure 4, where it is a number"
    wrong = "the process that keeps the residual"
    numbers = (20, 30, 40)
    nuggets = (1e-4, 1e-6, 1e-8, 1e-10)

    def measure(self, seed: int, wrong: bool) -> Experiment:
        k = covariances.Matern12(float(np.random.default_rng(seed).uniform(0.8, 1.2)), 1.0)
        basis = Nystroem(k, np.arange(0.5, 10.0)[:, None])
        table = []
        for number in self.numbers:
            A = ((np.arange(number) + 0.25) * 10.0 / number)[:, None]
            e = basis.features(A)
            own = e @ e.T + (residuals.get("gp", basis).covariance(A) if wrong else 0.0)
            table.append([_kl(own + d * np.eye(number), k(A) + d * np.eye(number)) for d in self.nuggets])
        kl = np.array(table)
        growth = (kl[:, 2] - kl[:, 1]) / (2.0 * (np.array(self.numbers) - basis.size))
        worst = float(np.max(np.abs(growth / (0.5 * math.log(10.0)) - 1.0)))
        check = Check("growth per decade and input, from ln(10)/2, relative", worst, 0.01)
        return Experiment((check,), {"kl": kl})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curves(self.nuggets, data["kl"], [f"{number} inputs" for number in self.numbers], "o-")
        xlim = (max(self.nuggets), min(self.nuggets))
        picture.frame("nugget", "KL at the inputs, nats", "upper left", log="x", xlim=xlim)


class ReluKinks(Claim):
    """The number of cells of a grid in which a random network of one hidden layer bends, for 3 and 5 ReLU units with
    standard normal weights: exactly 3 nearly always with 3, and nearly never with 5, on a wide and fine grid.

    Wrong: 3 units in both.
    """

    name = "relu-kinks"
    claim = "ReLU networks of widths 3 and 5 are told apart by their kinks on a wide fine grid"
    source = "004, Propositions 7 and 9"
    wrong = "widths 3 and 3"
    draws = 400_000
    grids = ((257, 10.0), (4097, 100.0), (65_537, 1000.0))

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        slopes, offsets = random.normal(size=(2, self.draws, 5))
        kinks = -offsets / slopes  # where the unit begins: Cauchy
        narrow, wide = kinks[:, :3], kinks[:, 2:] if wrong else kinks
        shares = np.array([[float(np.mean(_bent(each, *grid) == 3)) for each in (narrow, wide)] for grid in self.grids])
        checks = (
            Check("share of width 3 with three kinks", shares[-1, 0], 0.97, ">="),
            Check("share of the other width with three", shares[-1, 1], 1e-3 + ERRORS * math.sqrt(1e-3 / self.draws)),
        )
        return Experiment(checks, {"shares": shares})

    def draw(self, picture: Picture, data: Data) -> None:
        places = np.arange(len(self.grids))
        picture.curves(places, data["shares"].T, ("width 3", "the other width"), "o-")
        picture.axes.set_xticks(places, [f"{n:,}\nto ±{R:g}" for n, R in self.grids])
        labels = ("points of the grid, and its ends", "share with three kinks")
        picture.frame(*labels, "center left", ylim=(-0.05, 1.05))


class DataProcessing(Claim):
    """tanh(a x) + tanh(b x) with (a, b) ~ N((1, -1), I), and with the means exchanged: KL of the values at x = 1 in 400
    cells, by quadrature. KL of the weights is 4, and of the functions 0: they have one law.

    Wrong: tanh(a x) + sin(b x), whose units are of two kinds.
    """

    name = "data-processing"
    claim = "KL of functions is at most KL of weights; exchanging like units costs weights alone"
    source = "004, Propositions 3 and 6"
    wrong = "one unit tanh, the other sin"
    cells = 400

    def measure(self, seed: int, wrong: bool) -> Experiment:
        places = np.linspace(-9.0, 9.0, 1001)
        a, b = np.meshgrid(places, places, indexing="ij")
        first = np.exp(-0.5 * ((a - 1.0) ** 2 + (b + 1.0) ** 2))
        second = np.exp(-0.5 * ((a + 1.0) ** 2 + (b - 1.0) ** 2))
        first, second = first / first.sum(), second / second.sum()
        of_weights = float(np.sum(first * np.log(first / second)))
        values = np.tanh(a) + (np.sin(b) if wrong else np.tanh(b))
        laws = [np.histogram(values, self.cells, (-2.0, 2.0), weights=law)[0] for law in (first, second)]
        inside = laws[0] > 0.0
        of_functions = float(np.sum(laws[0][inside] * np.log(laws[0][inside] / laws[1][inside])))
        checks = (
            Check("KL of the values, nats", of_functions, 1e-12),
            Check("KL of the values over that of the weights", of_functions / of_weights, 1.0),
        )
        return Experiment(checks, {"laws": np.array(laws)})

    def draw(self, picture: Picture, data: Data) -> None:
        middle = np.linspace(-2.0, 2.0, 2 * self.cells + 1)[1::2]
        density = data["laws"] * self.cells / 4.0
        picture.curve(middle, density[0], "means (1, -1)", linewidth=3.0)
        picture.curve(middle, density[1], "means (-1, 1)", "--")
        picture.frame("value at x = 1", "density", "upper left", ylim=(0.0, 1.2))


def _kl(first: np.ndarray, second: np.ndarray) -> float:
    """KL of centred Gaussians."""
    values = np.linalg.eigvals(np.linalg.solve(second, first)).real
    return float(0.5 * np.sum(values - 1.0 - np.log(values)))


def _bent(kinks: np.ndarray, points: int, reach: float) -> np.ndarray:
    """In how many cells of the grid the kinks (draws, units) are."""
    cells = np.floor((np.clip(kinks, -1e9, 1e9) + reach) / (2.0 * reach) * (points - 1))
    cells[np.abs(kinks) >= reach] = -1.0
    cells.sort(axis=1)
    new = np.column_stack([cells[:, :1] >= 0.0, (cells[:, 1:] >= 0.0) & (np.diff(cells, axis=1) > 0.0)])
    return np.asarray(new.sum(axis=1))
