"""Lemma C.5.3: Q* is a stationary point of the Wasserstein gradient."""

from __future__ import annotations

import numpy as np

from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG
GRID = np.linspace(-6.0, 5.0, 2201)
SHOWN = (GRID > -2.8) & (GRID < 1.8)


class StationaryPoint(Claim):
    """The gradient (V + lambda1 kappa * q* + lambda2 log q*)' on [-2.8, 1.8], by the trapezoidal rule and differences.

    The differences have an error of the squared grid width, 0.005, times a third derivative. Wrong: Q* for V as printed
    in C.7, with the subscripts of the weights swapped.
    """

    name = "stationary-point"
    claim = "The Wasserstein gradient of L vanishes at DRLE's Q*"
    source = "thesis, Lemma C.5.3 and (C.108)"
    wrong = "Q* for V as C.7 prints it, weights swapped"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        loss = problems.swapped(METHOD) if wrong else problems.LOSS
        target = problems.density(loss, METHOD, problems.PRIOR)
        q = target.pdf(GRID)
        kappa = np.exp(-0.5 * (GRID[SHOWN][:, None] - GRID[None, :]) ** 2)
        field = problems.potential(GRID[SHOWN], METHOD) + METHOD.lambda1 * np.trapezoid(kappa * q, GRID, axis=1)
        gradient = np.gradient(field + METHOD.kl_weight * target.log_pdf(GRID[SHOWN]), GRID[SHOWN])
        check = Check("largest Wasserstein gradient in the bulk of Q*", float(np.max(np.abs(gradient))), 1e-4)
        return Experiment((check,), {"gradient": gradient})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curve(GRID[SHOWN], data["gradient"], r"$\nabla_W L[Q^*](\theta)$").level(0.0, "0")
        picture.frame(ylabel="Wasserstein gradient", xlim=(-2.8, 1.8))
