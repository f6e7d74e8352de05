"""Figure B.3 of the thesis on UCI inputs: the eigenvalues whose roots (4.15) adds, and what the estimate makes of them.

    python benchmarks/uci_eigenvalues.py        a minute of processor time; draws uci-eigenvalues.png beside this file

Inputs are the training rows of split 0 of Table 4.1 (standardised), k the squared exponential of the highest marginal
likelihood of these rows, and r the covariance of GWI-SVGP with the root of N greedy points. N_S is 100, as in B.13.
The exact distance takes N^3 operations. So the processes of a larger set are compared at 2,000 random training rows,
while both are fitted as before. The last two columns are for all training rows: the estimate, and a bound of the truth.
It is tr(k - r) over tr k: a draw of r plus an independent draw of k - r, a covariance, is a draw of k.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import GaussianWasserstein, likelihoods, means
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.functionspace.wasserstein.process_distance import estimated_w2_squared
from particlegvi.plotting import look, style
from particlegvi.scenario.kinds.functions.methods.gwi import Estimates
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import declaration
from particlegvi.scenario.tables.wasserstein.protocols import problem
from particlegvi.settings import colours

POINTS, DRAWS = 100, 10
PRINTED = declaration("wasserstein")
MOST_ROWS = 2000  # at which two processes are compared exactly
COLUMNS = 5


def measured(row: str) -> Facts:
    """The facts of `Estimates`; for all training rows the estimate ``whole`` and the bound ``most`` of the truth."""
    task = problem(row, "standardised", 0)
    assert isinstance(task, Problem)
    X, y = task.train
    covariance, noise = regression_covariance(X, y, seed=task.seed)
    points = round(np.sqrt(len(y)))
    model = GaussianWasserstein(covariance, likelihoods.Gaussian(noise), points, means.Inducing(), covariance="svgp")
    model.fit(X, y)
    random = np.random.default_rng(0)
    some = X if len(X) <= MOST_ROWS else X[random.choice(len(X), MOST_ROWS, replace=False)]
    found = Estimates([POINTS], DRAWS).of(covariance, model.covariance, some, 0)
    found["whole"] = found["posterior"]["mean"][0]
    trace = covariance.diagonal(X).mean()
    found["most"] = float(1.0 - np.mean(model.predict(X, return_std=True)[1] ** 2) / trace)
    if len(some) < len(X):
        drawn = [X[random.choice(len(X), POINTS, replace=False)] for _ in range(DRAWS)]
        each = [estimated_w2_squared(covariance, model.covariance, X, one) for one in drawn]
        found["whole"] = float(np.mean(each) / trace)
    return found


def line(row: str, found: Facts) -> str:
    """A line of the table."""
    sizes = found["spectrum"]["sizes"]
    itself, posterior = (found[name]["mean"][0] for name in ("itself", "posterior"))
    numbers = [itself, posterior, found["posterior"]["exact"], found["whole"], found["most"]]
    texts = " | ".join(f"{number:.3f}" for number in numbers)
    return f"| {PRINTED.title(row)} | {sizes[-1] / sizes[0]:.1e} | {found['improper']:.0%} | {texts} |"


def draw_panel(axes: Axes, title: str, sizes: Array, wrong: Array) -> None:
    order = np.arange(1, len(sizes) + 1)
    axes.semilogy(order[~wrong], sizes[~wrong], "o", color=colours.BLUE, markersize=3, label="positive")
    axes.semilogy(order[wrong], sizes[wrong], "x", color=colours.VERMILLION, markersize=6, markeredgewidth=1.5,
                  label="negative\nor complex")  # fmt: skip
    axes.set_title(title, fontsize=look.SMALL)
    axes.set_xticks([1, 50, 100])
    axes.set_yticks([1e0, 1e-5, 1e-10, 1e-15, 1e-20])
    axes.grid(True, which="major", alpha=0.3)


def main() -> None:
    head = "set | last eigenvalue over the first | negative or complex | to itself | to the posterior | the truth"
    print(f"| {head} | all rows | where the truth is at most |\n|{'---|' * 8}", flush=True)
    rows = list(PRINTED.rows)
    with style.slide_style():
        figure = style.new_slide(2, tall=1.25)
        panels = figure.subplots(-(-len(rows) // COLUMNS), COLUMNS, sharex=True, sharey=True)
        for axes, row in zip(panels.flat, rows, strict=False):
            found = measured(row)
            print(line(row, found), flush=True)
            sizes, wrong = np.array(found["spectrum"]["sizes"]), np.array(found["spectrum"]["improper"])
            words = f"{found['posterior']['mean'][0]:.2f}, truth {found['posterior']['exact']:.2f}"
            draw_panel(axes, f"{PRINTED.title(row)}\n{words}", sizes / sizes[0], wrong)
        for axes in panels.flat[len(rows) :]:
            axes.set_axis_off()
            axes.legend(*panels[0, 0].get_legend_handles_labels(), loc="center", markerscale=2.0)
        for axes in panels.flat[len(rows) - COLUMNS : len(rows)]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("number")
        for axes in panels[:, 0]:
            axes.set_ylabel("size over the largest")
        height = figure.get_size_inches()[1]
        title = "Eigenvalues of r(X_S, X) k(X, X_S) on UCI inputs"
        note = "no product of two covariances has a cross; numbers: W2² by (4.15) over the prior's trace, and the truth"
        figure.text(0.012, 1.0 - 0.10 / height, title, va="top", size=look.LARGE, weight="bold")
        figure.text(0.012, 1.0 - 0.42 / height, note, va="top", size=look.SMALL, color=colours.TEXT_GREY)
        figure.savefig(Path(__file__).with_name("uci-eigenvalues.png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
