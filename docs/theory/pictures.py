"""Draw the pictures of docs/theory, in seconds: `python docs/theory/pictures.py`.

The two steps of page 1, the chain and the free energy of page 2, and for page 4 the laws of one coefficient and KL at
growing sets of inputs. Each is computed by quadrature or linear algebra; no particle is simulated.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from numpy.polynomial.hermite_e import hermegauss

from particlegvi.targets.fokker_planck import FokkerPlanck

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


def chain() -> Figure:
    """chain.png: a box for each step, and on each arrow what it costs."""
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
    return figure


LIFTING = (
    ("a point", r"$\min_{\theta}\; \ell(\theta)$", "not convex: many local minima", GREY, "1: lifting"),
    ("a measure", r"$\min_{Q}\; E_Q[\ell]$", "linear: convex, many solutions", ORANGE, "2: a regulariser"),
    ("a measure near P", r"$\min_{Q}\; E_Q[\ell] + \lambda\, D(Q, P)$", "strictly convex: one solution", BLUE, ""),
)


def lifting() -> Figure:
    """lifting.png: the two steps of thesis Figures 2.1 and 5.1, and on top what each step does to an example."""
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
    return figure


def panels(number: int) -> tuple[Figure, list[Axes]]:
    """A figure of panels beside each other, without upper and right lines."""
    figure = Figure(figsize=(9.6, 3.6), dpi=130, layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(1, number)))
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure, axes


def free_energy() -> Figure:
    """free-energy.png: L(Q_t) - L(Q*) of DRLE on a grid of the line, with V and with its weights exchanged."""
    figure, axes = panels(2)
    x = np.linspace(-4.0, 4.0, 161)
    loss = 1.5 * (x**4 / 4.0 + x**3 / 3.0 - x**2)
    mu, prior, kl_weight, lambda1 = np.exp(-(x**2) / 4.0) / np.sqrt(2.0), 0.5 * x**2, 1.0, 3.0
    right, wrong = loss - lambda1 * mu + kl_weight * prior, loss - kl_weight * mu + lambda1 * prior
    flow = FokkerPlanck(right, x, lambda1, kl_weight, lambda r2: np.exp(-0.5 * r2))
    ends = []
    for each, potential, title in zip(axes, (right, wrong), ("with V as it is here", "as C.7 prints it"), strict=True):
        other = FokkerPlanck(potential, x, lambda1, kl_weight, lambda r2: np.exp(-0.5 * r2))
        masses = np.exp(-0.5 * ((x - 1.0) / 0.5) ** 2)
        masses, energies = masses / masses.sum(), []
        for _ in range(600):
            energies.append(flow.free_energy(masses))
            masses = other.step(masses, 0.02)
        ends.append(energies[-1])
        each.plot(0.02 * np.arange(600), np.array(energies) - ends[0], color="#0072b2")
        each.axhline(0.0, color="0.4", linestyle="--")
        each.set(title=title, xlabel="time $t$", ylabel="$L(Q_t) - L(Q^*)$", ylim=(-0.1, 3.0))
    return figure


def one_coefficient() -> Figure:
    """one-coefficient.png: the law that is sampled and the best law, for one logistic datum and three residuals."""
    figure, axes = panels(3)
    u = np.linspace(-4.0, 6.0, 1001)
    nodes, weights = hermegauss(60)
    for each, spread in zip(axes, (9.0, 1.0, 0.1), strict=True):
        datum = 4.0 * (u[:, None] + np.sqrt(spread) * nodes)
        best = np.logaddexp(0.0, -datum) @ (weights / weights.sum()) + 0.5 * u**2
        sampled = np.logaddexp(0.0, -4.0 * u) + 0.5 * u**2
        q, p = (np.exp(-level) / np.sum(np.exp(-level) * (u[1] - u[0])) for level in (sampled, best))
        each.fill_between(u, p, color="#0072b2", alpha=0.3, label="best law $\\tau^*$")
        each.plot(u, q, color="#d55e00", label="sampled law $\\tau$")
        kl = np.sum(q * np.log(q / p)) * (u[1] - u[0])
        each.set(title=f"residual variance {spread:g}: KL {kl:.1e}", xlabel="coefficient $u$", yticks=[])
    axes[0].legend(frameon=False)
    return figure


def growing_sets() -> Figure:
    """growing-sets.png: KL between the values at n inputs of two laws of eight weights, up to KL of the weights."""
    figure, axes = panels(1)
    inputs = np.linspace(-1.0, 1.0, 16)[np.random.default_rng(0).permutation(16)]
    features = np.cos(np.pi * np.outer(inputs + 1.0, np.arange(8)) / 2.0)
    mean, variance = 0.5 * np.ones(8), np.linspace(0.1, 0.8, 8)

    def kl(features: np.ndarray) -> float:
        """KL of N(F mean, F diag(variance) F') to N(0, F F') on the space that the features F span."""
        _, sizes, turned = np.linalg.svd(features, full_matrices=False)
        F = sizes[sizes > 1e-9, None] * turned[sizes > 1e-9]
        q, p, m = (F * variance) @ F.T, F @ F.T, F @ mean
        change = np.linalg.slogdet(p)[1] - np.linalg.slogdet(q)[1]
        return float(0.5 * (np.trace(np.linalg.solve(p, q)) + m @ np.linalg.solve(p, m) - len(F) + change))

    whole = float(0.5 * np.sum(variance + mean**2 - 1.0 - np.log(variance)))
    values = [kl(features[:n]) for n in range(1, 17)]
    axes[0].plot(range(1, 17), values, "o-", color="#0072b2", label="of the values at the inputs")
    axes[0].axhline(whole, color="0.4", linestyle="--", label="of the eight weights")
    axes[0].set(xlabel="number of inputs", ylabel="KL in nats", ylim=(0.0, 1.15 * whole))
    axes[0].legend(frameon=False)
    return figure


PICTURES = {
    "chain": chain, "lifting": lifting, "free-energy": free_energy, "one-coefficient": one_coefficient,
    "growing-sets": growing_sets,
}  # fmt: skip


def main() -> None:
    for name, drawn in PICTURES.items():
        FigureCanvasAgg(drawn()).print_png(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
