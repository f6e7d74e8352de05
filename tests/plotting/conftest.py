"""Small results for the figures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario.tables import Table, Task
from particlegvi.simulation.run import Run

from ..data_sets import settings_of
from ..plain_parts import PlainAtoms, PlainResults
from ..small_scenarios import COUNTS

KERNEL = pg.kernels.SquaredExponential(1.0)
CORNERS = np.array([[3.0, 3.0], [3.0, -3.0], [-3.0, 3.0], [-3.0, -3.0]])


def compared(loss: str, kl_weight: float, mmd_weight: float, *how, more: dict | None = None, **records) -> list[Run]:
    """Runs of DE, DLE, DRLE and more methods."""
    methods = {"DE": pg.methods.DE(), "DLE": pg.methods.DLE(kl_weight)}
    methods |= {"DRLE": pg.methods.DRLE(kl_weight, mmd_weight, KERNEL), **(more or {})}
    return list(pg.compare(pg.losses.get(loss), methods, *how, **records).values())


@pytest.fixture(scope="session")
def line() -> PlainResults:
    """Figure 5.2 in small: DE, DLE and DRLE on the tilted double well."""
    prior = pg.priors.Normal(0.0, 1.0)
    runs = compared("tilted-double-well", 1.0, 0.5, prior, 60, 400, 0.02, record_every=4)
    facts = {"DLE": {"w1": 0.0712, "w1_floor": [0.032, 0.116]}, "DRLE": {"w1": 0.0523, "w1_floor": [0.034, 0.12]}}
    for known in facts.values():
        known["distances"] = {"w1": {"floor": [*known["w1_floor"], 0.16], "particles": 60}}
    scenario = {"name": "global-minimiser", "title": "Which measure?", "source": "thesis, Figure 5.2"}
    targets = {run.label: pg.target(run.loss, run.method, prior, initial=prior) for run in runs}
    return PlainResults(runs, scenario, {"methods": facts}, targets)


@pytest.fixture(scope="session")
def plane() -> PlainResults:
    """Figures 5.3 and C.1 in small: three particle methods and a fitted Gaussian on four wells."""
    start, gaussian = pg.priors.Normal([0.0, 0.0], 1.0), {"FD-GVI": pg.methods.FDGVI(0.5, 20)}
    runs = compared("four-gaussians", 0.2, 0.3, None, 60, 200, 0.05, initial=start, more=gaussian, record_every=4)
    density = pg.target(runs[1].loss, runs[1].method, runs[1].prior)
    targets = {"DE": PlainAtoms(CORNERS, np.full(4, 0.25)), "DLE": density, "DRLE": density, "FD-GVI": None}
    scenario = {"name": "multimodal", "title": "Many particles or one Gaussian?", "source": "thesis, Figure 5.3"}
    return PlainResults(runs, scenario, {}, targets)


@pytest.fixture(scope="session")
def minima() -> PlainResults:
    """Figure 5.4: more minima than particles."""
    prior = pg.priors.Uniform(-1000 * math.pi, 1000 * math.pi)
    runs = compared("abs-sine", 0.001, 0.3, prior, 20, 1000, 0.01, record_every=20)
    density = pg.target(runs[1].loss, runs[1].method, prior)
    scenario = {"name": "more-modes", "title": "More modes than particles", "source": "thesis, Figure 5.4"}
    return PlainResults(runs, scenario, {}, {"DE": None, "DLE": density, "DRLE": density})


@pytest.fixture(scope="session")
def lifted() -> pg.results.Results:
    """Figure 2.2: a symmetric double well and its Q*."""
    return pg.run("lifting", particles=60, steps=400, step_size=0.005)


@pytest.fixture(scope="session")
def replicated() -> PlainResults:
    """Replicates in small: two methods, of which one covers the same number of modes each time."""
    loss, prior, runs = pg.losses.get("abs-sine"), pg.priors.Uniform(-0.5, 7.5), []
    positions = np.random.default_rng(7).uniform(-0.5, 7.5, (2, 8, 1))
    for method, covered, interval in (
        (pg.methods.DE(), [5, 6, 4], [5.0, 2.516, 7.484]), (pg.methods.DRLE(), [8, 8, 8], [8.0, 8.0, 8.0])
    ):  # fmt: skip
        run = Run(method.label, loss, prior, method, positions, np.array([0, 40]), 2e-3, 0)
        run.info["replicates"] = {"number": 3, "modes_covered": covered, "mean_modes_covered": interval}
        runs.append(run)
    scenario = {"name": "replicated", "title": "Eight modes", "source": "7.2", "modes": [[float(t)] for t in range(8)]}
    return PlainResults(runs, scenario, {}, {})


class Tables(dict):
    """Results of a benchmark table, as figures read them."""

    scenario = {"name": "benchmark", "title": "Models on data sets", "source": "Thesis, Table 6.2"}
    summary: dict = {}
    targets: dict = {}


@pytest.fixture(scope="session")
def scored() -> Tables:
    """A table in which three models have the printed scores of PLS with some noise; one cell is not finished."""
    settings = settings_of("functions", rows=["yacht", "boston", "heart"], protocols=["standardised"], splits=3)
    random, scores = np.random.default_rng(8), {}
    for row in settings.rows:
        for model in settings.models:
            for split in range(3):
                mean = {
                    metric: settings.declared.published(row, "pls", metric)
                    for metric in settings.declared.scores_of(row)
                }
                scores[Task(row, model, "standardised", split)] = {
                    metric: pair[0] + pair[1] * random.normal() for metric, pair in mean.items()
                }
    del scores[Task("heart", "pls", "standardised", 2)]
    return Tables(table=Table(settings, scores))


@pytest.fixture(scope="session")
def approximated() -> Tables:
    """A table in which errors fall with the number of inducing points; one cell is not finished."""
    settings = settings_of("approximation", sizes=[4, 20, 100], trials=3)
    random, scores = np.random.default_rng(9), {}
    for row in settings.rows:
        for place, model in enumerate(settings.models):
            for size in settings.protocols:
                for trial in range(3):
                    error = math.exp(-0.05 * (place + 1) * int(size) + 0.3 * random.normal())
                    found = {"mean_error": error, "sd_error": 0.5 * error, "rmse": 0.2 + error}
                    found |= {} if model.startswith("sor") else {"kl": 100.0 * error}
                    scores[Task(row, model, size, trial)] = found
    del scores[Task("synthetic", "greedy", "20", 1)]
    return Tables(table=Table(settings, scores))


@pytest.fixture(scope="session")
def measured():
    """Linear models whose values are compared at several numbers of inputs."""
    sized = {"method": "BLR", "sizes": [2, 4, 9], "points": 3, "steps": 20}
    return pg.run({**CURVE, "methods": {"Exact": sized, "RandA": {**sized, "kl": "random-points"}}})


CURVE = {
    "kind": "function-space",
    "name": "curve",
    "title": "A curve by several approximations",
    "source": "an example",
    "data": {"formula": "sin(4*x)", "low": -1.0, "high": 1.0, "count": 30, "gaps": [[0.0, 0.4]]},
    "kernel": {"name": "matern-32", "lengthscale": 0.5, "variance": 1.0},
    "likelihood": {"name": "gaussian", "noise_variance": 0.1},
    "inducing_points": 8,
    "particles": 10,
}


@pytest.fixture(scope="session")
def counted():
    """Functions fitted to counts, whose posterior has two halves."""
    return pg.run(COUNTS)


@pytest.fixture(scope="session")
def featured():
    """Sparse processes with several numbers of features, and the exact one."""
    fourier = {"name": "fourier", "low": -1.0, "high": 1.0, "frequencies": 4}
    return pg.run(
        {
            **CURVE,
            "methods": {
                "points": {"method": "SVGP", "sizes": [4, 8, 16]},
                "Fourier": {"method": "SVGP", "features": fourier, "sizes": [4, 8]},
                "GP": {},
            },
        }
    )


@pytest.fixture(scope="session")
def budgeted():
    """Projected Langevin sampling with the parts of its error."""
    methods = {"few": {"method": "PLS", "prior": "gp", "inducing_points": 4, "budget": True},
               "many": {"method": "PLS", "prior": "gp", "budget": True}}  # fmt: skip
    kernel = {"name": "squared-exponential", "lengthscale": 0.9}
    return pg.run({**CURVE, "kernel": kernel, "methods": methods})


@pytest.fixture(scope="session")
def weighted():
    """Gaussian Wasserstein inference with two weights, and estimates of its distance."""
    estimated = {"method": "GWI", "estimate": [6, 12], "draws": 2}
    methods = {"w 1": estimated, "w 100": {**estimated, "w2_weight": 100.0}, "GP": {}}
    return pg.run({**CURVE, "methods": methods})


@pytest.fixture(scope="session")
def clustered():
    """Functions of two inputs between two clusters of data."""
    data = {"formula": "x1*x2", "clusters": [[-1.0, 0.0], [1.0, 0.5]], "spread": 0.2, "count": 24}
    return pg.run({**CURVE, "data": data, "methods": {"GWI": {}, "SVGP": {}, "GP": {}}})


def networks(data: dict) -> pg.results.Results:
    """Two methods with networks on these data."""
    on_outputs = {"name": "on-outputs", "count": 5}
    return pg.run(
        {
            "kind": "networks",
            "name": "ensembles",
            "title": "Ensembles of networks",
            "data": data,
            "network": {"hidden": [8], "activation": "tanh"},
            "particles": 3,
            "steps": 40,
            "step_size": 0.05,
            "methods": {
                "DE": {},
                "DRE": {"mmd_weight": 0.1, "kernel": on_outputs},
                "DRLE": {"kl_weight": 0.01, "mmd_weight": 1.0, "kernel": on_outputs},
            },
        }
    )


@pytest.fixture(scope="session")
def on_a_line():
    """Networks on data with a gap."""
    return networks({"name": "gaussian-process", "count": 20, "gaps": [[-1.0, 1.0]]})


@pytest.fixture(scope="session")
def on_a_plane():
    """Networks on two moons."""
    return networks({"name": "two-moons", "count": 20})


class PlainSweep:
    """A sweep of two methods over two keys and five seeds, of plain arrays: like exact draws where it is warm."""

    laws: dict = {}

    def __init__(self) -> None:
        self.scenario = {"name": "swept", "title": "Where it pays", "source": "an example"}
        self.over = {"methods.*.kl_weight": [0.1, 0.2, 0.5, 1.0], "methods.DRLE.mmd_weight": [0.0, 1.0, 2.0]}
        self.seeds = [0, 1, 2, 3, 4]
        self.methods = ["DLE", "DRLE"]
        self.measures = ["w1"]
        random = np.random.default_rng(3)
        warm = np.array([1.0, 0.6, 0.12, 0.1])[:, None, None]
        numbers = warm * (1.0 + 0.05 * random.standard_normal((2, 4, 3, 5)))
        numbers[1, 3, 2, 4] = np.nan  # one that diverged
        self.numbers = {"w1": numbers, "w1_floor.1": np.full((2, 4, 3, 5), 0.2)}

    def has(self, measure: str, method: str) -> bool:
        return measure in self.numbers and method in self.methods

    def values(self, measure: str, method: str) -> np.ndarray:
        return self.numbers[measure][self.methods.index(method)]

    def truth(self, measure: str, method: str) -> np.ndarray | None:
        return None

    def stopped(self, method: str) -> np.ndarray:
        return np.isnan(self.values("w1", method)).astype(float)

    def unsettled(self, method: str) -> np.ndarray:
        return np.zeros_like(self.values("w1", method))

    def verdicts(self, method: str) -> np.ndarray:
        return np.where(self.unsettled(method) > 0.0, "too few", "arrived")

    def headline(self) -> str:
        return "swept: 12 settings x 5 seeds = 60 cells, 1 diverged"


@pytest.fixture
def swept() -> PlainSweep:
    return PlainSweep()
