"""The expected cost in the place of the cost at the mean (`data_cost`), on the classifications of Table 6.2.

    python benchmarks/expected_cost.py                  a quarter of an hour of a processor; draws expected-cost.png
    python benchmarks/expected_cost.py --rows heart     some rows alone, without the picture
    python benchmarks/expected_cost.py --store FILE     where finished fits are kept (runs/expected_cost.jsonl)

Rows, splits, hyperparameters and the sampler are those of Table 6.2 under the standardised protocol, with as many
inducing points as the root of the number of rows, as in the thesis. SVGP stands beside, since its evidence bound has
the expected cost, too. Differences from the cost at the mean are taken split by split.

The two costs differ by the residual, whose standard deviation is printed for these few points and for those of the
table (at most 400). With Gaussian noise both have one law, so that regressions are left out. Seconds of a fit with the
expected cost grow with the rows, so that a set of more than 1,000 training rows has SVGP alone.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import ticker
from matplotlib.axes import Axes

from particlegvi import metrics
from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods, residuals, selection
from particlegvi.functionspace.basis import Nystroem
from particlegvi.plotting import look, style
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions.models.baselines import hyperparameters
from particlegvi.scenario.tables.functions.protocols import PROTOCOLS, problem
from particlegvi.scenario.tables.problem import Classes, Problem
from particlegvi.scenario.tables.settings import TableSettings, declaration
from particlegvi.settings import colours

PROTOCOL, SPLITS = "standardised", 5
SETTINGS = TableSettings.of({})
PRINTED = declaration("functions")
ROWS = [row for row in PRINTED.printed_rows() if "auc" in PRINTED.scores_of(row)]
MODELS = ("mean", "svgp", "expected")
MOST_ROWS = 1000  # training rows of a set that has fits with the expected cost
MARKS = {  # colour, mark, place in the row, words
    "expected": (colours.BLUE, "o", -0.14, "PLS, expected cost"),
    "svgp": (colours.VERMILLION, "D", 0.14, "SVGP"),
}
RESIDUALS = {"few": ("few points", "o", colours.BLACK), "table": ("the table's", "s", "none")}
LINEAR, TICKS, ENDS = 0.005, [-0.1, -0.02, -0.005, 0.0, 0.005], (-0.3, 0.008)  # of the axis of differences
Result = dict[str, Any]


def points(task: Problem) -> dict[str, int]:
    """The two numbers of inducing points."""
    rows = len(task.train.y)
    return {"few": math.isqrt(rows), "table": min(SETTINGS.inducing_points, rows)}


def sampled(task: Problem, data_cost: str) -> Classes:
    """The predictions of the table's model "pls" with few points and this cost."""
    sampler = ProjectedLangevinSampler(
        kernel=hyperparameters(task, SETTINGS).covariance,
        likelihood=likelihoods.Bernoulli(),
        inducing_points=points(task)["few"],
        particles=SETTINGS.particles,
        prior=PROTOCOLS[PROTOCOL].prior,
        moves="mix",
        seed=SETTINGS.seed,
        data_cost=data_cost,
    )
    return Classes(sampler.fit(*task.train).predict_probability(task.test.X))


def residual_sd(task: Problem, count: int) -> float:
    """The root mean square of the residual's standard deviation at the training rows, in the units of f (logits)."""
    k, X = hyperparameters(task, SETTINGS).covariance, task.train.X
    basis = Nystroem(k, selection.select("greedy", k, X, count, SETTINGS.seed).points)
    return float(np.sqrt(residuals.get("gp", basis).variance(X, basis.features(X)).mean()))


def fitted(task: Problem, model: str) -> Result:
    """The scores of a fit on the test rows, and its seconds of processor time without the hyperparameters."""
    hyperparameters(task, SETTINGS)
    begun, count = time.process_time(), points(task)["few"]
    if model == "svgp":
        predicted = models.get("svgp")(task, SETTINGS, inducing_points=count)
    else:
        predicted = sampled(task, model)
    assert isinstance(predicted, Classes)
    y, probability = task.test.y, predicted.probability
    return {
        "row": task.row, "model": model, "split": task.split, "points": count, "rows": len(task.train.y),
        "seconds": time.process_time() - begun,
        "nll": metrics.bernoulli_nll(y, np.clip(probability, 1e-12, 1.0 - 1e-12)),
        "auc": 100.0 * metrics.area_under_curve(y, probability),
    }  # fmt: skip


class Results:
    """The finished fits of a file."""

    def __init__(self, store: Path) -> None:
        self.store = store
        lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
        self.found = {self.key(each): each for each in map(json.loads, lines)}

    @staticmethod
    def key(result: Result) -> tuple[str, str, int]:
        return result["row"], result["model"], result["split"]

    def complete(self, row: str, split: int) -> None:
        """Make the fits of a row and a split that are missing, and write them."""
        task = problem(row, PROTOCOL, split)
        self.store.parent.mkdir(parents=True, exist_ok=True)
        with self.store.open("a", encoding="utf-8") as file:
            for model in MODELS:
                dear = model == "expected" and len(task.train.y) > MOST_ROWS
                if not dear and (row, model, split) not in self.found:
                    result = fitted(task, model)
                    if model == "mean":
                        result |= {number: residual_sd(task, count) for number, count in points(task).items()}
                    self.found[self.key(result)] = result
                    file.write(json.dumps(result) + "\n")
                    file.flush()

    def values(self, row: str, model: str, what: str) -> dict[int, float]:
        """A number by split."""
        return {
            split: self.found[row, model, split][what] for split in range(SPLITS) if (row, model, split) in self.found
        }

    def mean(self, row: str, model: str, what: str) -> float:
        """The mean over splits; NaN if there are no such fits."""
        found = list(self.values(row, model, what).values())
        return float(np.mean(found)) if found else math.nan

    def gaps(self, row: str, model: str, what: str = "nll") -> Array:
        """A score less that of the cost at the mean, split by split: the negative log-likelihood in nats a row."""
        ours, theirs = (self.values(row, each, what) for each in (model, "mean"))
        return np.array([ours[split] - theirs[split] for split in ours])


def mean_and_error(gaps: Array) -> tuple[float, float]:
    """The mean over splits and its standard error."""
    return float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps))) if len(gaps) > 1 else math.nan


def written(gaps: Array, places: int) -> str:
    if not len(gaps):
        return "-"
    mean, error = mean_and_error(gaps)
    return f"{mean:+.{places}f} ± {error:.{places}f}"


def line(results: Results, row: str) -> str:
    """The line of a row in the table."""
    at = lambda what, model="mean": results.mean(row, model, what)
    seconds = f"{at('seconds'):.2g}" if math.isnan(at("nll", "expected")) else (
        f"{at('seconds'):.2g}, {at('seconds', 'expected'):.2g}")  # fmt: skip
    texts = [PRINTED.title(row), f"{at('points'):.0f} of {at('rows'):.0f}", f"{at('few'):.2g}", f"{at('table'):.1g}",
             f"{at('nll'):.3f}", *(written(results.gaps(row, model), 4) for model in MARKS),
             written(results.gaps(row, "expected", "auc"), 2), seconds]  # fmt: skip
    return f"| {' | '.join(texts)} |"


def draw(results: Results) -> None:
    with style.slide_style():
        figure = style.new_slide(tall=1.15)
        gains, residual = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        draw_gains(gains, results)
        draw_residuals(residual, results)
        gains.set_ylim(len(ROWS) - 0.5, -0.5)
        gains.set_yticks(range(len(ROWS)), [PRINTED.title(row) for row in ROWS])
        for axes in (gains, residual):
            axes.grid(axis="x", alpha=0.3)
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, handletextpad=0.2, columnspacing=1.0)
        height = figure.get_size_inches()[1]
        title = "Gains by the expected cost on the classifications of Table 6.2"
        note = f"few points are the root of the rows; {SPLITS} splits, mean and standard error; left of 0 is better"
        figure.text(0.012, 1.0 - 0.10 / height, title, va="top", size=look.LARGE, weight="bold")
        figure.text(0.012, 1.0 - 0.42 / height, note, va="top", size=look.SMALL, color=colours.TEXT_GREY)
        figure.savefig(Path(__file__).with_name("expected-cost.png"), dpi=150, metadata={"Software": None})


def draw_gains(axes: Axes, results: Results) -> None:
    """The differences in score of each row, with those of the splits."""
    for model, (colour, mark, up, words) in MARKS.items():
        for place, row in enumerate(ROWS):
            gaps = results.gaps(row, model)
            if len(gaps):
                mean, error = mean_and_error(gaps)
                axes.plot(gaps, np.full(len(gaps), place + up), mark, color=colour, alpha=0.25, markersize=4)
                axes.errorbar(mean, place + up, xerr=error, fmt=mark, color=colour, markersize=7)
        axes.plot([], [], mark, color=colour, markersize=7, label=words)
    axes.axvline(0.0, color=colours.BLACK, linewidth=1.0)
    axes.set_xscale("symlog", linthresh=LINEAR)
    axes.set_xlim(ENDS)
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel(f"NLL less that of the cost at the mean\n(nats; linear from -{LINEAR} to {LINEAR})")


def draw_residuals(axes: Axes, results: Results) -> None:
    """The standard deviations of the residual for both numbers of points, means over splits."""
    for number, (words, mark, inside) in RESIDUALS.items():
        found = [results.mean(row, "mean", number) for row in ROWS]
        axes.plot(found, range(len(ROWS)), mark, color=colours.BLACK, markerfacecolor=inside, markersize=7,
                  label=words)  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlabel("standard deviation of\nthe residual (logits)")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS)
    parser.add_argument("--store", type=Path, default=Path("runs/expected_cost.jsonl"))
    chosen = parser.parse_args()
    results = Results(chosen.store)
    with one_blas_thread():
        for split in range(SPLITS):
            for row in chosen.rows:
                results.complete(row, split)
    print("| set | points | residual's sd | the table's | NLL | expected | SVGP | AUC (%), expected | seconds |")
    print("|---" * 9 + "|")
    for row in chosen.rows:
        print(line(results, row))
    if chosen.rows == ROWS:
        draw(results)


if __name__ == "__main__":
    main()
