"""FD-GVI: the objective of DLE over Gaussians with diagonal covariance only (thesis C.134 to C.138).

The divergence to the prior may be Renyi's of another order than 1, which is KL (thesis, chapter 2: any D).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi.contracts import Array, Facts, Flow, Objective, Prior
from particlegvi.engine.numerics.noise import normals
from particlegvi.methods.flow import ParticleFlow, ParticleProblem
from particlegvi.methods.method import Method
from particlegvi.priors import Normal
from particlegvi.tools import arguments, machine
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.objects import has_walls

OUTPUT_STEP = 2**62  # the step number whose "draws" make the particles; no run gets there


@explains_bad_calls
@dataclass(frozen=True)
class FDGVI(Method):
    """Mean-field Gaussian variational inference: E_Q[loss] + kl_weight D(Q, P) over Q = N(mu, diag exp(beta)).

    Gradient descent on (mu, beta) with ``draws`` fresh reparameterised draws a step. The fit is the average of the
    second half of the iterates (Polyak and Ruppert), which takes out the noise of the draws. It starts at the first
    initial particle with unit variances, so which local optimum it finds depends on that start.

    Parameters
    ----------
    kl_weight : float
        Weight of the divergence D(Q, P), more than 0.
    draws : int
        Reparameterised draws a step (C.137 has 200).
    renyi_order : float
        Order a of Renyi's divergence ``D(Q, P) = log(E_P[(q/p)^a]) / (a - 1)``, above 0 and at most 1, in closed form
        under a Normal prior. 1 is KL. The smaller a is, the less a Q pays that covers little of P.
    """

    kl_weight: float = 0.5
    draws: int = 200
    renyi_order: float = 1.0
    name: ClassVar[str] = "FDGVI"
    label: ClassVar[str] = "FDGVI"
    schedules: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kl_weight", arguments.positive("kl_weight", self.kl_weight))
        object.__setattr__(self, "draws", arguments.whole("draws", self.draws, 1, 100_000_000))
        object.__setattr__(self, "renyi_order", arguments.positive("renyi_order", self.renyi_order))
        if self.renyi_order > 1.0:
            raise arguments.refuse("renyi_order", self.renyi_order, "a number above 0 and at most 1")

    @property
    def objective(self) -> Objective:  # type: ignore[override]
        """The known optima are those of KL."""
        return "gaussians" if self.renyi_order == 1.0 else "none"

    def flow(self, problem: ParticleProblem) -> Flow:
        return GaussianFlow(self, problem)


class GaussianFlow(ParticleFlow):
    """The state is (mu, beta, sum of mu, sum of beta), each (dim,), with sums over the second half of the steps."""

    def __init__(self, method: FDGVI, problem: ParticleProblem):
        self._method = method
        self._problem = problem
        if has_walls(problem.prior.low, problem.prior.high):
            words = f"prior must be one without walls for {method.label}, not {problem.prior!r}"
            raise ValueError(f"{words}, under which every Gaussian has infinite KL")
        if method.renyi_order != 1.0 and not isinstance(problem.prior, Normal):
            raise ValueError(f"prior must be Normal for renyi_order {method.renyi_order:g}, not {problem.prior!r}")
        particles, dim = problem.start.shape
        size = 6 * 8 * method.draws * dim
        machine.check(f"draws is {method.draws} in {dim} dimension(s), which", size, "give fewer draws")
        super().__init__(np.zeros((4, dim)))
        self.state[0] = problem.start[0]
        self._averaged_from = problem.steps // 2
        self._done = 0
        self._standard = normals(problem.seed, "draws", particles, dim, OUTPUT_STEP)

    def advance(self, first_step: int, steps: int) -> None:
        method, problem = self._method, self._problem
        for step in range(first_step, first_step + steps):
            mu, beta = self.state[0], self.state[1]
            sd = np.exp(0.5 * beta)
            z = normals(problem.seed, "draws", method.draws, mu.size, step)
            points = mu + sd * z
            slope = problem.loss.gradient_at(points, step, problem.seed)
            if method.renyi_order == 1.0:
                slope = slope - method.kl_weight * problem.prior.gradient(points)
            # d/d beta_i of (C.138): half the mean of slope_i * sd_i z_i, minus kl_weight / 2 from the entropy
            mu_slope = slope.mean(axis=0)
            beta_slope = 0.5 * (slope * z * sd).mean(axis=0) - 0.5 * method.kl_weight
            if method.renyi_order != 1.0:
                in_mu, in_beta = renyi_slopes(mu, sd * sd, problem.prior, method.renyi_order)
                mu_slope, beta_slope = mu_slope + method.kl_weight * in_mu, beta_slope + method.kl_weight * in_beta
            step_size = problem.step_size_at(step)
            self.state[0] = mu - step_size * mu_slope
            self.state[1] = beta - step_size * beta_slope
            if step >= self._averaged_from:
                self.state[2] += self.state[0]
                self.state[3] += self.state[1]
            self._done = step + 1

    def extra_state(self) -> Facts:
        """The number of steps done, from which it follows whether the average is complete."""
        return {"done": self._done}

    def restore(self, state: np.ndarray, extra_state: Facts) -> None:
        super().restore(state, {})
        self._done = int(extra_state.get("done", 0))

    def fit(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and sd (dim,): the latest iterate, or at the end of the run the average of its second half."""
        count = self._done - self._averaged_from
        if count > 0 and self._done == self._problem.steps:
            return self.state[2] / count, np.exp(0.5 * self.state[3] / count)
        return self.state[0], np.exp(0.5 * self.state[1])

    def particles(self) -> np.ndarray:
        """Draws from the fitted Gaussian, one per particle, made of the same standard normals each time."""
        mean, sd = self.fit()
        return mean + sd * self._standard

    def first_bad(self) -> int:
        """0 where mu or beta is not finite (there is one Gaussian), else -1."""
        return -1 if np.all(np.isfinite(self.state)) else 0

    def facts(self) -> Facts:
        mean, sd = self.fit()
        return {"integrator": "gradient descent", "mean": mean.tolist(), "sd": sd.tolist(), "draws": self._method.draws}


def renyi_slopes(mu: Array, variance: Array, prior: Prior, order: float) -> tuple[Array, Array]:
    """The slopes of Renyi's divergence to a Normal prior in mu and in beta, both (dim,), the latter without its -1/2.

    With c = (1 - a) v + a s^2 in each coordinate, D is half of a (mu - m)^2 / c + (log c - (1 - a) log v
    - a log s^2) / (1 - a), v being exp(beta).
    """
    assert isinstance(prior, Normal)
    away, c = mu - prior.mean, (1.0 - order) * variance + order * prior.sd**2
    return order * away / c, 0.5 * variance / c * (1.0 - order * (1.0 - order) * away**2 / c)
