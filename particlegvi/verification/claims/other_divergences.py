"""Other divergences in the place of KL: the best law of all, and the best Gaussian (thesis, chapter 2: any D)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

import particlegvi as pg
from particlegvi.targets.divergences import Divergence, best_law
from particlegvi.verification.claim import Check, Checks, claim

X = np.linspace(-8.0, 9.0, 3401)
WIDTH = X[1] - X[0]
CENTRE, WEIGHT = 2.0, 1.0
LOSS = 0.5 * (X - CENTRE) ** 2
PRIOR = np.exp(-0.5 * X**2) / np.sqrt(2.0 * np.pi)
CHANGES = 50
GENERATORS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "kl": lambda r: r * np.log(np.where(r > 0.0, r, 1.0)), "reverse-kl": lambda r: -np.log(r),
    "squared-hellinger": lambda r: (np.sqrt(r) - 1.0) ** 2, "chi-squared": lambda r: (r - 1.0) ** 2,
}  # fmt: skip


@claim("thesis, chapter 2 (any D); derived in docs/open-questions.md", wrong="the law of KL for each divergence")
def best_laws(seed: int, wrong: bool) -> Checks:
    """No law has a lower E loss + D_f(Q, P) than p (f')^-1(c - loss).

    Four divergences with the loss (x - 2)^2/2 and the prior N(0, 1): the objective, by sums on a grid, of the law
    whose slope is the same everywhere, and of laws near it. Some changes add a part of the prior where the law is 0.
    """
    random, gains = np.random.default_rng(seed), []
    for name, generator in GENERATORS.items():
        if wrong and name == "kl":
            continue
        law = best("kl" if wrong else name)
        others = [other + 0.01 * PRIOR for other in changed(law, random)]
        values = [f_objective(other, generator) for other in [*changed(law, random), *others]]
        gains.append(min(values) - f_objective(law, generator))
    return Check("least rise of the objective above the law's", float(min(gains)), -1e-9, ">=")


@claim("thesis, chapter 2 (any D); derived in docs/open-questions.md", wrong="KL in its place")
def renyi_fit(seed: int, wrong: bool, *, orders: tuple[float, ...] = (0.2, 0.5, 0.8)) -> Checks:
    """With Renyi's divergence FD-GVI ends at the best Gaussian, above the best law of all.

    FD-GVI of (x - 2)^2/2 and the prior N(0, 1) against the Gaussian that minimises sums on a grid, and that one
    against all laws: no change of the best law may have a lower objective, nor may any Gaussian.
    """
    random, distances, gains = np.random.default_rng(seed), [], []
    loss = pg.losses.get("quadratic", curvature=1.0, centre=CENTRE)
    for order in orders:
        method = pg.methods.FDGVI(WEIGHT, renyi_order=1.0 if wrong else order)
        run = pg.simulate(
            loss, method, prior=pg.priors.Normal(0.0, 1.0), particles=2, steps=4_000, step_size=0.05, seed=seed,
            record_every=0,
        )  # fmt: skip
        fit = np.array([run.info["mean"][0], run.info["sd"][0]])
        lowest = minimize(lambda at, a=order: objective(gaussian(*at), a), [1.0, 0.7], method="Nelder-Mead",
                        options={"xatol": 1e-8, "fatol": 1e-12})  # fmt: skip
        distances.append(float(np.abs(fit - lowest.x).max()))
        law = best(Divergence(order, renyi=True))
        values = [objective(other / other.sum() / WIDTH, order) for other in changed(law, random)]
        gains.append(min(*values, float(lowest.fun)) - objective(law, order))
    return (
        Check("largest distance of a mean or sd to the best", max(distances), 0.01),
        Check("least rise of the objective above the best law", float(min(gains)), 0.0, ">="),
    )


def best(divergence: str | Divergence) -> np.ndarray:
    """The density of the best law at X."""
    loss = pg.losses.get("quadratic", curvature=1.0, centre=CENTRE)
    return np.asarray(best_law(loss, pg.priors.Normal(0.0, 1.0), WEIGHT, divergence).law.pdf(X))


def changed(law: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Positive functions near a density, not normalised: waves, half of them small."""
    return [law * (1.0 + size * np.sin(random.uniform(0.5, 5.0) * X + random.uniform(0.0, 6.0)))
            for size in (0.5, 0.05) for _ in range(CHANGES // 2)]  # fmt: skip


def gaussian(mean: float, sd: float) -> np.ndarray:
    """A density at X."""
    return np.asarray(np.exp(-0.5 * ((X - mean) / sd) ** 2) / (np.sqrt(2.0 * np.pi) * abs(sd)))


def f_objective(law: np.ndarray, generator: Callable[[np.ndarray], np.ndarray]) -> float:
    """E loss + WEIGHT D_f(q, p) by sums, of a law that is normalised here."""
    q = law / law.sum() / WIDTH
    return float(np.sum(q * LOSS + WEIGHT * PRIOR * generator(q / PRIOR)) * WIDTH)


def objective(q: np.ndarray, order: float) -> float:
    """E loss + WEIGHT D(q, p), of Renyi's order, by sums."""
    inside = np.sum(q**order * PRIOR ** (1.0 - order)) * WIDTH
    return float(np.sum(q * LOSS) * WIDTH + WEIGHT * np.log(inside) / (order - 1.0))
