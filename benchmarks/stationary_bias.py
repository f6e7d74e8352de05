"""Stationary bias against step size, by quadrature of the one-step kernel: draws stationary-bias.png beside this file.

The potential is x^4 / 4 at temperature 1, whose second moment is 2 Gamma(3/4) / Gamma(1/4) exactly. No particle is
simulated, so that no statistical error hides the order:

    python benchmarks/stationary_bias.py
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from particlegvi.diagnostics import stationary_law
from particlegvi.plotting import look, style
from particlegvi.settings import colours

STEP_SIZES = np.geomspace(0.003, 0.1, 13)
SECOND_MOMENT = 2.0 * math.gamma(0.75) / math.gamma(0.25)
LOOKS = {
    "euler-maruyama": (colours.BLUE, "o", (8, -12)),
    "heun": (colours.GREEN, "s", (8, 9)),
    "leimkuhler-matthews": (colours.BLACK, "D", (8, 0)),
}


def bias(integrator: str, step_size: float) -> float:
    """Error of E x^2 under the integrator's stationary law."""
    points, weights = stationary_law(lambda x: x**3, step_size, 1.0, integrator)
    return float(weights @ points**2 - SECOND_MOMENT)


def order(step_sizes: np.ndarray, biases: np.ndarray) -> float:
    """Slope of a straight line through the logarithms."""
    return float(np.polyfit(np.log(step_sizes), np.log(np.abs(biases)), 1)[0])


def main() -> None:
    with style.slide_style():
        figure = style.new_slide()
        axes = figure.subplots()
        for integrator, (colour, marker, offset) in LOOKS.items():
            biases = np.array([bias(integrator, step_size) for step_size in STEP_SIZES])
            slope = order(STEP_SIZES, biases)
            axes.loglog(STEP_SIZES, np.abs(biases), color=colour, marker=marker, markersize=6, clip_on=False)
            axes.annotate(
                f"{integrator}\nslope {slope:.2f}", (STEP_SIZES[-1], abs(biases[-1])), xytext=offset,
                textcoords="offset points", va="center", color=colour, fontsize=look.SMALL,
            )  # fmt: skip
            print(f"{integrator:20s} slope {slope:.3f}, bias {biases[0]:.3e} to {biases[-1]:.3e}")
        for power, level in ((1, 9e-4), (2, 2.5e-7)):
            guide = level * (STEP_SIZES[:6] / STEP_SIZES[0]) ** power
            axes.loglog(STEP_SIZES[:6], guide, color=colours.LOSS_GREY, linestyle="--", linewidth=1.5)
            axes.annotate(
                f"order {power}", (STEP_SIZES[5], guide[-1]), xytext=(6, -4), textcoords="offset points",
                color=colours.TEXT_GREY, fontsize=look.SMALL, va="center",
            )  # fmt: skip
        axes.set_xlabel(r"step size $\eta$ (dimensionless)")
        axes.set_ylabel(r"stationary bias $|\mathrm{E}\,x^2 - \mathrm{exact}|$")
        axes.set_xlim(right=0.1)
        axes.grid(True, which="major", alpha=0.3)
        title = "Stationary bias of the integrators"
        note = r"potential $x^4/4$, temperature 1  |  quadrature of the one-step kernel, no particles"
        height = figure.get_size_inches()[1]
        figure.text(0.012, 1.0 - 0.10 / height, title, va="top", size=look.LARGE, weight="bold")
        figure.text(0.012, 1.0 - 0.42 / height, note, va="top", size=look.SMALL, color=colours.TEXT_GREY)
        figure.savefig(Path(__file__).with_name("stationary-bias.png"), dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    main()
