"""Draw the two steps of page 1 of docs/theory and the chain of page 2, in a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

FOLDER = Path(__file__).resolve().parent
BLUE, ORANGE, GREY = "#d8e7f3", "#f7e3cf", "#e8e8e8"
# Title, formula, colour, and the words on the arrow to the next box.
CHAIN = (
    ("functional", r"$L(Q) = E_Q[V] + \frac{\lambda_1}{2}\, E\,\kappa(a, a') + \lambda_2\, E_Q[\log q]$", BLUE,
     "derivative along mixtures"),
    ("first variation", r"$F = V + \lambda_1\, E_{b \sim Q}\,\kappa(\cdot, b) + \lambda_2 \log q$", BLUE,
     "steepest descent in $W_2$"),
    ("velocity", r"$u = -\nabla F, \qquad \partial_t q = \nabla\cdot(q\, \nabla F)$", BLUE,
     "the same law at every time"),
    ("McKean-Vlasov equation",
     r"$d\theta = -(\nabla V + \lambda_1 E_{b \sim Q_t} \nabla_1 \kappa(\theta, b))\,dt + \sqrt{2\lambda_2}\, dB$",
     ORANGE, r"law $Q_t$ replaced by $N$ points: error $O(1/\sqrt{N})$"),
    ("interacting particles",
     r"$d\theta_n = -(\nabla V + \frac{\lambda_1}{N} \sum_j \nabla_1 \kappa(\theta_n, \theta_j))\,dt"
     r" + \sqrt{2\lambda_2}\, dB_n$",
     ORANGE, r"time in steps of $\eta$: error $O(\eta)$"),
    ("time steps",
     r"$\theta_n \leftarrow \theta_n - \eta\,(\nabla V + \frac{\lambda_1}{N} \sum_j"
     r" \nabla_1 \kappa(\theta_n, \theta_j)) + \sqrt{2 \eta \lambda_2}\, Z_n$",
     GREY, ""),
)  # fmt: skip


def chain() -> None:
    """Draw chain.png: a box for each step, and on each arrow what it costs."""
    figure = Figure(figsize=(7.6, 7.4), dpi=130)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, 10.0), ylim=(0.0, 10.0))
    axes.axis("off")
    height, gap = 1.05, 0.63
    for place, (title, formula, colour, words) in enumerate(CHAIN):
        bottom = 10.0 - 0.15 - height - place * (height + gap)
        style = "round,pad=0.04,rounding_size=0.12"
        axes.add_patch(FancyBboxPatch((0.9, bottom), 8.2, height, boxstyle=style, fc=colour, ec="0.4"))
        axes.text(5.0, bottom + 0.79, title, ha="center", va="center", fontsize=10, weight="bold")
        axes.text(5.0, bottom + 0.34, formula, ha="center", va="center", fontsize=11.5)
        if words:
            head, tail = (5.0, bottom - gap + 0.08), (5.0, bottom - 0.06)
            axes.annotate("", head, tail, arrowprops={"arrowstyle": "-|>", "color": "0.25"})
            axes.text(5.2, bottom - 0.5 * gap, words, ha="left", va="center", fontsize=9.5, color="0.25")
    FigureCanvasAgg(figure).print_png(FOLDER / "chain.png")


LIFTING = (
    ("a point", r"$\min_{\theta}\; \ell(\theta)$", "not convex: many local minima", GREY, "1: lifting"),
    ("a measure", r"$\min_{Q}\; E_Q[\ell]$", "linear: convex, many solutions", ORANGE, "2: a regulariser"),
    ("a measure near P", r"$\min_{Q}\; E_Q[\ell] + \lambda\, D(Q, P)$", "strictly convex: one solution", BLUE, ""),
)


def lifting() -> None:
    """Draw lifting.png: the two steps of thesis Figures 2.1 and 5.1, and on top what each step does to an example."""
    figure = Figure(figsize=(9.6, 3.5), dpi=130)
    x = np.linspace(-1.9, 1.9, 400)
    loss = 3.0 * (x**2 - 1.0) ** 2
    posterior = np.exp(-loss - 0.5 * x**2)
    for place, (title, formula, words, colour, step) in enumerate(LIFTING):
        left = 0.02 + 0.34 * place
        axes = figure.add_axes((left, 0.5, 0.28, 0.46))
        axes.plot(x, loss, color="0.25")
        axes.set(xlim=(-1.9, 1.9), ylim=(-0.6, 6.0))
        axes.axis("off")
        if place == 0:
            axes.plot([-1.0], [0.0], "o", color="#d55e00", markersize=8)
        elif place == 1:
            axes.vlines([-1.0, 1.0], 0.0, [1.4, 3.4], color="#d55e00", linewidth=5)
        else:
            axes.fill_between(x, 4.0 * posterior / posterior.max(), color="#0072b2", alpha=0.5)
        box = figure.add_axes((left, 0.04, 0.28, 0.42))
        box.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        box.axis("off")
        box.add_patch(FancyBboxPatch((0.03, 0.08), 0.94, 0.84, boxstyle="round,pad=0.02", fc=colour, ec="0.4"))
        box.text(0.5, 0.78, title, ha="center", va="center", fontsize=10, weight="bold")
        box.text(0.5, 0.5, formula, ha="center", va="center", fontsize=12.5)
        box.text(0.5, 0.22, words, ha="center", va="center", fontsize=9.5, color="0.25")
        if step:
            whole = figure.add_axes((left + 0.265, 0.04, 0.09, 0.42))
            whole.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
            whole.axis("off")
            whole.annotate("", (0.85, 0.5), (0.25, 0.5), arrowprops={"arrowstyle": "-|>", "color": "0.25"})
            whole.text(0.55, 1.0, step, ha="center", va="bottom", fontsize=9.5, color="0.25")
    FigureCanvasAgg(figure).print_png(FOLDER / "lifting.png")


if __name__ == "__main__":
    chain()
    lifting()
