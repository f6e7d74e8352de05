"""5.4.3: the drift of the particles is minus the gradient of their objective."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

MMD_WEIGHT = 0.5


def objective(x: np.ndarray) -> float:
    """E loss + mmd_weight MMD^2(Q, P) of equally weighted particles (n,), without the term of P alone."""
    pairs = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2)
    return float(problems.loss(x).mean() + MMD_WEIGHT * (pairs.mean() - 2.0 * problems.embedding(x).mean()))


class ObjectiveGradient(Claim):
    """The velocity of DRE's particles in one step, against central differences of N L(theta_1, ..., theta_N).

    The differences have an error of their squared width times a third derivative, some 1e-8. Wrong: lambda1 =
    mmd_weight, as in (C.114) and (C.115), where the MMD is not squared and the 2 of its square is missing.
    """

    name = "objective-gradient"
    claim = "DRE's particles move along minus the gradient of E loss + mmd_weight MMD^2"
    source = "thesis, 5.4.3; not (C.115)"
    wrong = "lambda1 = mmd_weight, as in (C.115)"
    particles, step_size, width = 60, 1e-3, 1e-4

    def measure(self, seed: int, wrong: bool) -> Experiment:
        method = pg.methods.DRE(MMD_WEIGHT * (0.5 if wrong else 1.0), problems.KERNEL)
        run = problems.simulate(method, particles=self.particles, steps=1, step_size=self.step_size, seed=seed)
        x = run.initial[:, 0]
        velocity = (run.final[:, 0] - x) / self.step_size
        gradient = np.empty(len(x))
        for n in range(len(x)):
            shift = np.zeros(len(x))
            shift[n] = self.width
            gradient[n] = len(x) * (objective(x + shift) - objective(x - shift)) / (2.0 * self.width)
        gap = float(np.max(np.abs(velocity + gradient)))
        check = Check("largest difference of velocity and minus gradient", gap, 1e-6)
        return Experiment((check,), {"x": x, "difference": velocity + gradient})

    def draw(self, picture: Picture, data: Data) -> None:
        order = np.argsort(data["x"])
        picture.level(0.0, "equal").curve(data["x"][order], data["difference"][order], "a particle", "o-")
        picture.frame(ylabel="velocity + gradient")
