"""Errors against the objective along searches for inducing points: Figure 1 of Huggins et al. (2019), on airfoil.

    python benchmarks/search_path.py                ten runs of three searches, ten minutes; draws search-path.png
    python benchmarks/search_path.py --check        the objective beside an independent computation, a minute
    python benchmarks/search_path.py --store FILE   where finished searches are kept (runs/search_path.jsonl)

A run begins at 200 random rows of 1,103, with other random rows for the regressors of nu, as the table
``uci-sparse-approximation`` does. Each search takes at most 200 iterations of L-BFGS from the same points:

- "fisher 100" minimises the preconditioned Fisher divergence (pF) under nu with 100 regressors, as in the source;
- "fisher 600" does so with three regressors for each inducing point, as ``placement="fisher"`` does;
- "elbo" maximises the evidence lower bound (VFE), and its objective is shown as KL to the exact process.

After some of the iterations the root mean square errors of mean and standard deviation at the 400 test rows are
computed, and at the first and the last also pF under the exact process: this divergence alone bounds the errors.
``--check`` compares the squared objective with `divergences.preconditioned_fisher`, which goes another way, by dense
precisions of the three processes in the coordinates of the prior.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import axis, ticker
from scipy.stats import spearmanr

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import SparseGaussianProcess, SubsetOfRegressors, divergences, likelihoods, selection
from particlegvi.functionspace.selection.objectives import CollapsedBound, SquaredDivergence
from particlegvi.functionspace.selection.rules import place
from particlegvi.plotting import look, style
from particlegvi.scenario.tables.approximation.exact import exact_process, problem
from particlegvi.scenario.tables.approximation.models import start
from particlegvi.settings import colours

ROW, POINTS, ITERATIONS, RUNS, SHOWN = "airfoil", 200, 200, 10, 25
SEARCHES = {"fisher 100": 100, "fisher 600": 600, "elbo": 0}  # and their numbers of regressors
PANELS = {
    "fisher 100": "pF, 100 regressors (the source)", "fisher 600": "pF, 600 regressors", "elbo": "evidence lower bound"
}  # fmt: skip
COLOURS = {"mean": colours.BLUE, "sd": colours.VERMILLION}
Objective = Callable[[Array], tuple[float, Array]]


class Search:
    """A search of a run."""

    def __init__(self, name: str, run: int) -> None:
        self.task, self.exact = problem(ROW, str(POINTS), run), exact_process(ROW)
        (X, y), k, noise = self.task.train, self.exact.covariance, self.exact.noise_variance
        rows, _ = start(self.task, 0)
        self.first = X[rows]
        self.regressors = X[np.random.default_rng(run).permutation(len(y))[: SEARCHES[name]]]
        self.by_bound = name == "elbo"
        self.at: Objective = CollapsedBound(k, X, y, noise).at
        if not self.by_bound:
            self.at = SquaredDivergence(k, X, selection.Targets(y, noise), self.regressors).at

    def process(self, Z: Array) -> SparseGaussianProcess:
        likelihood = likelihoods.Gaussian(noise_variance=self.exact.noise_variance)
        return SparseGaussianProcess(self.exact.covariance, likelihood, Z).fit(*self.task.train)

    def objective(self, Z: Array) -> float:
        """KL to the exact process in nats, or pF under nu."""
        return self.at(Z)[0] + self.exact.evidence if self.by_bound else float(np.sqrt(self.at(Z)[0]))

    def errors(self, Z: Array) -> tuple[float, float]:
        """Root mean squares at the test rows."""
        mean, sd = self.process(Z).predict(self.task.test.X, return_std=True)
        rms = lambda gap: float(np.sqrt(np.mean(gap**2)))
        return rms(mean - self.exact.mean), rms(sd - self.exact.sd)

    def path(self) -> dict[int, Array]:
        """The points after some iterations, near each other at the start, where the objective falls fast."""
        found = [self.first]
        place(self.at, self.first, self.task.train.X, ITERATIONS, found)
        return {number: found[number] for number in sorted({round(n) - 1 for n in np.geomspace(1, len(found), SHOWN)})}

    def result(self) -> dict[str, Any]:
        numbers, kept = zip(*self.path().items(), strict=True)
        mean, sd = zip(*map(self.errors, kept), strict=True)
        ideal = [divergences.preconditioned_fisher(self.process(Z), self.exact.process) for Z in (kept[0], kept[-1])]
        objectives = [self.objective(Z) for Z in kept]
        return {"iteration": numbers, "objective": objectives, "mean": mean, "sd": sd, "ideal": ideal}


def check() -> None:
    """The squared objective of pF by the two ways, at four of the points of a search."""
    for name in ("fisher 100", "fisher 600"):
        search = Search(name, 0)
        kept = list(search.path().values())
        noise = search.exact.noise_variance
        nu = SubsetOfRegressors(search.exact.covariance, noise, search.regressors).fit(*search.task.train)
        for Z in (kept[0], kept[len(kept) // 3], kept[2 * len(kept) // 3], kept[-1]):
            other = divergences.preconditioned_fisher(search.process(Z), search.exact.process, nu)
            print(f"{name}: {search.at(Z)[0]:.8g} by the search, {other**2:.8g} by dense precisions", flush=True)


def measured(store: Path) -> dict[str, list[dict[str, Any]]]:
    """The results of all searches; searches that the file does not hold are made and written."""
    lines = store.read_text().splitlines() if store.exists() else []
    found = {(each["search"], each["run"]): each for each in map(json.loads, lines)}
    store.parent.mkdir(parents=True, exist_ok=True)
    with store.open("a") as file:
        for run in range(RUNS):
            for name in SEARCHES:
                if (name, run) not in found:
                    found[name, run] = {"search": name, "run": run, **Search(name, run).result()}
                    file.write(json.dumps(found[name, run]) + "\n")
                    file.flush()
    return {name: [found[name, run] for run in range(RUNS)] for name in SEARCHES}


def show(name: str, results: list[dict[str, Any]]) -> None:
    """Medians over the runs, first and last, and how the errors follow the objective along a run."""
    ends = {
        key: [np.median([each[key][end] for each in results]) for end in (0, -1)]
        for key in ("objective", "ideal", "mean", "sd")
    }
    print(name, ", ".join(f"{key} {first:.3g} to {last:.3g}" for key, (first, last) in ends.items()))
    for key in COLOURS:
        ranks = [spearmanr(each["objective"], each[key])[0] for each in results]
        slopes = [np.polyfit(np.log(each["objective"]), np.log(each[key]), 1)[0] for each in results]
        print(f"  {key}: rank correlation {np.median(ranks):.2f} ({min(ranks):.2f} to {max(ranks):.2f}),"
              f" slope {np.median(slopes):.2f} ({min(slopes):.2f} to {max(slopes):.2f})")  # fmt: skip


def numbered(line: axis.Axis) -> None:
    """Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, in plain numbers."""
    line.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    line.set_major_formatter(ticker.FormatStrFormatter("%g"))
    line.set_minor_formatter(ticker.NullFormatter())


def draw(results: dict[str, list[dict[str, Any]]]) -> None:
    with style.slide_style():
        figure = style.new_slide()
        panels = figure.subplots(2, len(PANELS))
        for column, (name, title) in enumerate(PANELS.items()):
            falls, errors = panels[:, column]
            words = "KL (nats)" if name == "elbo" else "pF divergence"
            for each in results[name]:
                falls.semilogy(each["iteration"], each["objective"], color=colours.BLACK, linewidth=1.0, alpha=0.6)
                for key, colour in COLOURS.items():
                    errors.loglog(each["objective"], each[key], color=colour, linewidth=1.0, alpha=0.7)
                    errors.plot(each["objective"][-1], each[key][-1], "o", color=colour, markersize=4)
            falls.set_title(title, fontsize=look.SMALL)
            falls.set_xlabel("iteration")
            falls.set_ylabel(words)
            errors.set_xlabel(words)
            errors.set_ylim(0.008, 0.6)
            for axes in (falls, errors):
                numbered(axes.yaxis)
                axes.grid(True, which="major", alpha=0.3)
            numbered(errors.xaxis)
        panels[1, 0].set_ylabel("RMS error")
        for key, level, words in (("mean", 0.20, "of the mean"), ("sd", 0.06, "of the standard deviation")):
            panels[1, 0].text(0.05, level, words, transform=panels[1, 0].transAxes, color=COLOURS[key],
                              fontsize=look.SMALL)  # fmt: skip
        height = figure.get_size_inches()[1]
        title = "Searches for 200 inducing points on airfoil, ten runs"
        note = "above: the objective; below: errors at the test rows against it, from the right to the dot at the end"
        figure.text(0.012, 1.0 - 0.10 / height, title, va="top", size=look.LARGE, weight="bold")
        figure.text(0.012, 1.0 - 0.42 / height, note, va="top", size=look.SMALL, color=colours.TEXT_GREY)
        figure.savefig(Path(__file__).with_name("search-path.png"), dpi=150, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--store", type=Path, default=Path("runs/search_path.jsonl"))
    chosen = parser.parse_args()
    with one_blas_thread():
        if chosen.check:
            check()
            return
        results = measured(chosen.store)
    for name, runs in results.items():
        show(name, runs)
    draw(results)


if __name__ == "__main__":
    main()
