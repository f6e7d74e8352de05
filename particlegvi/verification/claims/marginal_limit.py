"""The law of one of N particles of DRLE tends to Q* like 1/N, by quadrature at N = 2, 3 and 4."""

from __future__ import annotations

import numpy as np

from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG
GRID = np.linspace(-4.2, 3.2, 141)
NUMBERS = (2, 3, 4)


class MarginalLimit(Claim):
    """W1 of the marginal of exp(-E / kl_weight) to Q*, times N, must not grow with N: a distance of c/N plus less.

    Nothing is simulated: both laws come from grids. Wrong: E without the 1/2 before its sum of pairs, whose marginal
    tends to the Q* of twice the repulsion, so that N times the distance grows without bound.
    """

    name = "marginal-limit"
    claim = "The law of one of N particles of DRLE is at a distance O(1/N) of Q*"
    source = "thesis, Theorem 5.4.2; Langevin dynamics of the energy E"
    wrong = "energy without the 1/2 before its pairs"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        truth = np.asarray(problems.target(METHOD).cdf(GRID))
        laws = {number: marginal(number, 2.0 if wrong else 1.0) for number in NUMBERS}
        far = {number: float(np.trapezoid(np.abs(law - truth), GRID)) for number, law in laws.items()}
        checks = [
            Check(f"N W1 at N = {number}, over that at {number - 1}", number * far[number] / bound, 1.0)
            for number, bound in ((number, (number - 1) * far[number - 1]) for number in NUMBERS[1:])
        ]
        return Experiment(tuple(checks), {"laws": laws, "truth": truth})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curves(GRID, [data["laws"][number] for number in NUMBERS], [f"$N = {number}$" for number in NUMBERS])
        picture.truth(GRID, data["truth"], "$Q^*$").frame(ylabel="distribution function")


def marginal(number: int, factor: float) -> np.ndarray:
    """Distribution function of one particle at GRID, the pairs of E multiplied by ``factor``."""
    v = problems.potential(GRID, METHOD)
    weight = np.exp(-(v - v.min()) / METHOD.kl_weight)
    kappa = np.exp(-0.5 * (GRID[:, None] - GRID[None, :]) ** 2)
    pair = np.exp(-factor * METHOD.lambda1 / number * kappa / METHOD.kl_weight)
    mass = np.empty(len(GRID))
    for i, row in enumerate(pair):  # one particle is at GRID[i], the sum is over the others
        others = row * weight
        if number == 2:
            rest = np.sum(others)
        elif number == 3:
            rest = others @ pair @ others
        else:
            rest = np.sum(others[:, None] * others * pair * ((pair * others) @ pair))
        mass[i] = weight[i] * rest
    return (np.cumsum(mass) - 0.5 * mass) / np.sum(mass)
