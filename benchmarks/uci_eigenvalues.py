"""Figure B.3 of the thesis on UCI inputs: the eigenvalues whose roots (4.15) adds, and what the estimate makes of them.

    python benchmarks/uci_eigenvalues.py        a minute; draws uci-eigenvalues.png beside this file

Inputs are the training rows of split 0 of Table 4.1 (standardised), k the squared exponential of the highest marginal
likelihood of these rows, and r the covariance of GWI-SVGP with the root of N greedy points. N_S is 100, as in B.13.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.functionspace import GaussianWasserstein, likelihoods, means
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.plotting import look, style
from particlegvi.scenario.kinds.functions.methods.gwi import Estimates
from particlegvi.scenario.tables.settings import Problem
from particlegvi.scenario.tables.wasserstein.protocols import PRINTED, problem
from particlegvi.settings import colours

ROWS = ("boston", "concrete", "energy", "wine", "yacht")
POINTS, DRAWS = 100, 10


def measured(row: str) -> Facts:
    task = problem(row, "standardised", 0)
    assert isinstance(task, Problem)
    X, y = task.train
    covariance, noise = regression_covariance(X, y, seed=task.seed)
    points = round(np.sqrt(len(y)))
    model = GaussianWasserstein(covariance, likelihoods.Gaussian(noise), points, means.Inducing(), covariance="svgp")
    model.fit(X, y)
    return Estimates([POINTS], DRAWS).of(covariance, model.covariance, X, 0)


def main() -> None:
    print("| set | last eigenvalue over the first | negative or complex | to itself | to the posterior | the truth |")
    with style.slide_style():
        figure = style.new_slide()
        for axes, row in zip(figure.subplots(1, len(ROWS), sharey=True), ROWS, strict=True):
            found = measured(row)
            sizes, wrong = np.array(found["spectrum"]["sizes"]), np.array(found["spectrum"]["improper"])
            itself, posterior = (found[name]["mean"][0] for name in ("itself", "posterior"))
            numbers = f"{itself:.3f} | {posterior:.3f} | {found['posterior']['exact']:.3f}"
            last = f"{sizes[-1] / sizes[0]:.1e} | {found['improper']:.0%}"
            print(f"| {PRINTED.title(row)} | {last} | {numbers} |", flush=True)
            order = np.arange(1, len(sizes) + 1)
            sizes = sizes / sizes[0]
            axes.semilogy(order[~wrong], sizes[~wrong], "o", color=colours.BLUE, markersize=3)
            axes.semilogy(order[wrong], sizes[wrong], "x", color=colours.VERMILLION, markersize=5)
            axes.set_title(PRINTED.title(row), fontsize=look.SMALL)
            axes.set_xlabel("number")
            axes.set_xticks([1, 50, 100])
            axes.grid(True, which="major", alpha=0.3)
            if row == ROWS[0]:
                axes.set_ylabel("size over the largest")
        height = figure.get_size_inches()[1]
        title = "Eigenvalues of r(X_S, X) k(X, X_S) on UCI inputs"
        note = "100 points X_S; crosses: negative or complex, which no product of two covariances has"
        figure.text(0.012, 1.0 - 0.10 / height, title, va="top", size=look.LARGE, weight="bold")
        figure.text(0.012, 1.0 - 0.42 / height, note, va="top", size=look.SMALL, color=colours.TEXT_GREY)
        figure.savefig(Path(__file__).with_name("uci-eigenvalues.png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
