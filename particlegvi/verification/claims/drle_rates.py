"""The rates of DRLE in the number of particles, in time and in the step size."""

from __future__ import annotations

import numpy as np

from particlegvi.targets import rates
from particlegvi.targets.fokker_planck import FokkerPlanck
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Checks, Claim
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG
ENDS = -4.2, 3.2
NUMBERS = np.array([2, 8, 32, 128, 512])
SIZES = np.array([0.01, 0.005, 0.0025])


class DrleRates(Claim):
    """Laws on a grid, with no particle: powers of N and of the step size, and the rate in time beside an eigenvalue.

    The law of one of N by a Gaussian field must be that of the sums over all places of 2 and 3 particles. Wrong: every
    law is that of a repulsion without the 2 of the square in MMD^2, so that no distance to Q* falls.
    """

    claim = "DRLE's W1 to Q* falls like 1/N, like the step size, and at the linearised flow's rate"
    source = "thesis 5.4.3, which gives no rates; docs/open-questions.md"
    wrong = "lambda1 = mmd_weight, without its 2"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        q = self.flow(False).minimiser()
        flow = self.flow(wrong)
        start = np.exp(-0.5 * flow.centres**2)
        number = rates.in_number(flow, q, NUMBERS)
        size = rates.in_step(flow, q, SIZES)
        time = rates.in_time(flow, q, start / start.sum(), 12.0, 0.02)
        rate = rates.relaxation(self.flow(False))
        sums = [rates.apart(flow, rates.finite_number(flow, number), marginal(flow, number)) for number in (2, 3)]
        picture.curve(NUMBERS, number.distances, "$N$", "o-").curve(1.0 / SIZES, size.distances, r"$1/\eta$", "s-")
        picture.curve(1.0 + time.values, time.distances, "$1 + t$", "-")
        picture.frame("number, 1/step size, or 1 + time", "$W_1$ to $Q^*$", log="xy")
        return (
            Check("distance of the power of N to -1", abs(number.slope + 1.0), 0.01),
            Check("distance of the power of the step size to 1", abs(size.slope - 1.0), 0.02),
            Check("rate in time, relative to the eigenvalue", abs(time.slope / rate + 1.0), 0.02),
            Check("W1 of the laws of 2 and 3 particles to sums", max(sums), 1e-4),
        )

    def flow(self, wrong: bool) -> FokkerPlanck:
        return FokkerPlanck.of(problems.LOSS, problems.halved(METHOD, wrong), problems.PRIOR, ENDS, 201)


def marginal(flow: FokkerPlanck, number: int) -> np.ndarray:
    """The law of one of 2 or 3 particles by sums over the places of the others, written out for this problem."""
    v = problems.potential(flow.centres, METHOD)
    weight = np.exp(-(v - v.min()) / METHOD.kl_weight)
    kappa = np.exp(-0.5 * (flow.centres[:, None] - flow.centres) ** 2)
    pair = np.exp(-METHOD.lambda1 / number * kappa / METHOD.kl_weight)
    others = pair @ weight if number == 2 else np.einsum("ij,jk,ik->i", pair * weight, pair, pair * weight)
    return np.asarray(weight * others / np.sum(weight * others))
