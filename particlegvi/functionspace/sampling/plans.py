"""Plans for a posterior: coordinates, start, scheme, step size and length, chosen before the first step.

=================  ==============================================  ========================================
plan               used for                                        the steps
=================  ==============================================  ========================================
`quadratic`        a quadratic cost, exponential Euler             the whole drift is solved exactly
`mixing`           other costs, exponential Euler                  accepted or refused, see `mixing`
`euler`            other costs with a step size or without moves   mobility 1, (6.14) as it is printed
=================  ==============================================  ========================================

The stationary distribution of all plans is exp(-V) of (D.125). The steps of `euler` have a bias.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.linalg import directions
from particlegvi.functionspace.sampling import langevin
from particlegvi.functionspace.sampling.cost import (
    Coordinates,
    CostTask,
    DataCost,
    QuadraticCost,
    find_mode,
    mode_of_quadratic,
    weighted_gram,
)
from particlegvi.functionspace.sampling.mixing import MixingFlow, anneal
from particlegvi.functionspace.sampling.reflections import Region, find_regions
from particlegvi.tools.errors import warn

RELAXATIONS = 15.0  # length in relaxation times of the slowest direction: the start is forgotten up to exp(-15)
QUADRATIC_STEPS = 20  # default number of steps, each of one relaxation time
MIXING_STEPS = (240, 2000)  # limits of the default, ten relaxation times: enough, as the start is in equilibrium
MOST_STEPS = 20_000_000  # largest default; the user may give more
SHOWN_TO_RULE = 64  # number of particles of the start at which the curvature is evaluated
THESIS = "thesis"  # the name of the plan `euler` in the facts of a run


class Plan(NamedTuple):
    """A flow ready for its first step."""

    name: str
    flow: langevin.LangevinFlow | MixingFlow
    coordinates: Coordinates
    cost: DataCost | QuadraticCost
    steps: int
    step_size: float
    facts: Facts
    steps_before: int = 0  # steps that the start has taken

    def lowest(self, prior_variances: Array, energies: Array) -> float:
        """V at the end of a descent from the best particle."""
        precision = self.coordinates.precision(prior_variances)
        if isinstance(self.cost, QuadraticCost):
            return mode_of_quadratic(self.cost, precision)[1]
        return find_mode(self.cost, precision, self.flow.state[int(np.argmin(energies))])[1]


def choose(task: CostTask, integrator: str, moves: str | None) -> Plan:
    """The plan for a likelihood, an integrator and a kind of moves ("mix", "none", or None for the default)."""
    exponential = integrator == "exponential-euler"
    if exponential and task.likelihood.quadratic and moves != "mix":
        return quadratic(task)
    printed = moves == "none" or (task.likelihood.convex and task.step_size is not None)
    if moves == "mix" or (exponential and not printed):
        return mixing(task)
    return euler(task, integrator)


def quadratic(task: CostTask) -> Plan:
    """The Gram shortcut: a Gaussian posterior, whose diffusion is an Ornstein-Uhlenbeck process in its eigenbasis.

    With a given step size, time is the time of (6.14); otherwise every direction relaxes in one unit of time.
    """
    weight = task.likelihood.curvature_bound
    cost = QuadraticCost(weight, task.features, task.y)
    roots = np.sqrt(task.prior_variances)
    if task.step_size is None:
        stiffness, vectors = task.journal.once("directions", lambda: directions(roots[:, None] * cost.gram * roots))
        where = Coordinates(roots, vectors)
        reference = 1.0 + np.maximum(stiffness, 0.0)
        mobility = 1.0 / reference
        step_size, steps = 1.0, task.steps or QUADRATIC_STEPS
    else:
        hessian = cost.gram + np.diag(1.0 / task.prior_variances)
        reference, vectors = task.journal.once("directions", lambda: directions(hessian))
        where = Coordinates(np.ones(len(roots)), vectors)
        mobility = np.ones(len(roots))
        step_size, steps = task.step_size, _length(task, float(reference.min()), task.step_size)
    pull = -(cost.linear * where.scales) @ where.rotation
    start = _start(task, where)
    scheme = langevin.exponential_euler(step_size, mobility, reference, np.zeros(len(roots)))
    constant = np.broadcast_to(pull, start.shape).copy()
    flow = langevin.LangevinFlow(partial(_constant, constant), scheme, start, task.seed)
    facts = {"time": "relaxation" if task.step_size is None else "thesis", "exact steps": True}
    return Plan("quadratic", flow, where, cost.moved(where), steps, step_size, facts)


def euler(task: CostTask, integrator: str) -> Plan:
    """(6.14) with mobility 1, by exponential Euler (the prior's part exact) or by Euler-Maruyama."""
    dim = len(task.prior_variances)
    where = Coordinates(np.ones(dim), np.eye(dim))
    precision = 1.0 / task.prior_variances
    cost: DataCost | QuadraticCost = DataCost(task.likelihood, task.features, task.y)
    start = _start(task, where)
    if task.likelihood.quadratic:
        cost = QuadraticCost(task.likelihood.curvature_bound, task.features, task.y)

    def curvature() -> tuple[float, float]:
        if isinstance(cost, QuadraticCost):
            hessian = cost.gram
        elif math.isfinite(task.likelihood.curvature_bound):
            hessian = task.likelihood.curvature_bound * weighted_gram(task.features, None)
        else:
            # the largest Fisher information of each row over some particles of the start
            largest = task.likelihood.information(cost.features @ start[:SHOWN_TO_RULE].T).max(axis=1)
            hessian = weighted_gram(task.features, largest)
        whole = linalg.eigvalsh(hessian + np.diag(precision))
        linear = whole if integrator == "euler-maruyama" else linalg.eigvalsh(hessian)
        return float(whole[0]), float(linear[-1])

    flattest, steepest = task.journal.once("curvature", curvature)
    step_size = task.step_size or langevin.BIAS / steepest
    facts = {"time": "thesis", "largest curvature": steepest, "stability limit": 2.0 / steepest}
    if step_size >= 2.0 / steepest:
        warn(
            f"step_size {step_size:g} is beyond the stability limit {2.0 / steepest:.3g} of {integrator} on these data;"
            " the run may diverge"
        )
    if integrator == "euler-maruyama":
        scheme = langevin.euler_maruyama(step_size, precision)
    else:
        scheme = langevin.exponential_euler(step_size, np.ones(len(precision)), precision, np.zeros(len(precision)))
    # The curvature may be smaller than assumed here: half of it if the rate is f^2, and 0 for other likelihoods.
    known = 1.0 if task.likelihood.quadratic else 0.5 if task.likelihood.even else 0.0
    slowest = max(known * flattest, float(precision.min()))
    steps = _length(task, slowest, step_size)
    flow = langevin.LangevinFlow(partial(_gradients, cost), scheme, start, task.seed)
    return Plan(THESIS, flow, where, cost, steps, step_size, facts)


def mixing(task: CostTask) -> Plan:
    """Accepted steps and moves between modes, after a start in all modes by annealing."""
    where, stiffness, cost = _whitened(task)
    turned = _regions(task, cost) if task.likelihood.even else []
    if task.initial is None:
        start, step_size, facts, taken = task.journal.once(
            "start", lambda: anneal(cost, stiffness, task.particles, task.seed, turned, task.journal)
        )
    else:
        start, step_size, facts, taken = where.of(task.initial), 0.25, {}, 0
    step_size = task.step_size or step_size
    flow = MixingFlow(cost, stiffness, step_size, start.copy(), task.seed, turned)
    steps = task.steps or int(np.clip(10.0 / step_size, *MIXING_STEPS))
    return Plan("mixing", flow, where, cost, steps, step_size, {"time": "relaxation", **facts}, taken)


def _regions(task: CostTask, cost: DataCost) -> list[Region]:
    def find() -> tuple[Array, ...]:
        weights = task.likelihood.information(np.zeros(len(task.y))) * (task.y > 0.0)
        regions = find_regions(task.X, cost.features, weights, task.seed)
        return tuple(array for region in regions for array in region)

    arrays = task.journal.once("regions", find)
    return [Region(*pair) for pair in zip(arrays[::2], arrays[1::2], strict=True)]


def _whitened(task: CostTask) -> tuple[Coordinates, Array, DataCost]:
    """Coordinates in which the prior is N(0, I) and the Fisher information at the mode is diagonal."""
    dim = len(task.prior_variances)
    roots = np.sqrt(task.prior_variances)
    scaled = Coordinates(roots, np.eye(dim)).features_in_place(task.features)
    cost = DataCost(task.likelihood, scaled, task.y)

    def at_mode() -> tuple[Array, Array]:
        best = np.zeros(dim)
        if not task.likelihood.even:  # an even likelihood has the same information everywhere, and 0 is not a mode
            best, _ = find_mode(cost, np.eye(dim), best)
        stiffness, rotation = directions(weighted_gram(scaled, task.likelihood.information(scaled @ best)))
        return rotation, np.maximum(stiffness, 0.0)

    rotation, stiffness = task.journal.once("directions", at_mode)
    Coordinates(np.ones(dim), rotation).features_in_place(scaled)
    return Coordinates(roots, rotation), stiffness, cost


def _start(task: CostTask, where: Coordinates) -> Array:
    """The first particles, in the plan's coordinates: the given ones, or draws from the prior."""
    if task.initial is not None:
        return where.of(task.initial)
    normals = noise.normals(task.seed, "start", task.particles, len(task.prior_variances))
    return where.of(normals * np.sqrt(task.prior_variances))


# Use functions of the module, not lambdas, so that a fitted sampler can be pickled, as parallel searches need.
def _constant(forces: Array, z: Array, step: int) -> Array:
    return forces


def _gradients(cost: DataCost | QuadraticCost, z: Array, step: int) -> Array:
    return cost.gradients(z)


def _length(task: CostTask, slowest: float, step_size: float) -> int:
    """The number of steps: as given, or `RELAXATIONS` relaxation times of the slowest direction."""
    if task.steps is not None:
        return task.steps
    steps = math.ceil(RELAXATIONS / (slowest * step_size))
    if steps > MOST_STEPS:
        raise ValueError(
            f"a step_size of {step_size:.3g} needs about {steps:.1e} steps to reach equilibrium; give steps, or leave"
            " step_size out and let the integrator be exponential-euler"
        )
    return steps
