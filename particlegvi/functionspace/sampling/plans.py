"""How a posterior is sampled: coordinates, start, scheme, step size and length, chosen before the first step.

=================  ==============================================  ========================================
plan               used for                                        the steps
=================  ==============================================  ========================================
`quadratic`        a quadratic cost, exponential Euler             the whole drift is solved exactly
`preconditioned`   other costs, exponential Euler                  mobility: inverse curvature at the mode
`thesis`           Euler-Maruyama, or a step size of one's own     mobility 1, (6.14) as it is printed
`mixing`           ``moves="mix"``                                 accepted or refused, see `mixing`
=================  ==============================================  ========================================

All have the stationary law exp(-V) of (D.125), up to the bias of the step where steps are neither exact nor accepted.
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.sampling import annealing, coordinates, jumps, mode, regions, schemes
from particlegvi.functionspace.sampling.coordinates import Coordinates, weighted_gram
from particlegvi.functionspace.sampling.data_cost import DataCost, QuadraticCost
from particlegvi.functionspace.sampling.journal import Journal
from particlegvi.functionspace.sampling.jumps import Jumps
from particlegvi.functionspace.sampling.langevin import Force, LangevinFlow, Minibatch
from particlegvi.functionspace.sampling.mixing import MixingFlow
from particlegvi.functionspace.sampling.regions import Region

RELAXATIONS = 15.0  # length in relaxation times of the slowest direction: what is left of the start is exp(-15)
QUADRATIC_STEPS = 20  # of one relaxation time each
MIXING_STEPS = (240, 2000)  # what takes ten relaxation times, between these bounds: the start is in equilibrium
MANY_STEPS = 5000  # of steps that are not refused, as a default; accepted ones are cheaper where it takes more
MOST_STEPS = 20_000_000  # as a default; more only where asked for
BATCH = 8  # rows of a batch for each coefficient, below which steps become smaller
SHOWN_TO_RULE = 64  # particles of the start at which the curvature is looked at


class Question(NamedTuple):
    """What is to be sampled, and with which settings."""

    likelihood: Any
    X: Array
    y: Array
    features: Array  # (rows, dim) of the coefficients; a plan may overwrite them
    prior_variances: Array
    particles: int
    steps: int | None
    step_size: float | None
    initial: Array | None
    batch_size: int | None
    seed: int
    journal: Journal  # of what is found out before the first step


class Plan(NamedTuple):
    """A flow ready for its first step."""

    name: str
    flow: Any
    coordinates: Coordinates
    cost: Any  # with ``costs(z)``
    steps: int
    step_size: float
    facts: dict[str, Any]
    steps_before: int = 0  # that the start has taken


def quadratic(q: Question) -> Plan:
    """The Gram shortcut: a Gaussian posterior, whose diffusion is an Ornstein-Uhlenbeck process in its eigenbasis.

    With a step size of one's own, time is that of (6.14); without, every direction relaxes in one unit of time.
    """
    weight = q.likelihood.curvature_bound
    cost = QuadraticCost(weight, q.features, q.y)
    roots = np.sqrt(q.prior_variances)
    if q.step_size is None:
        stiffness, vectors = q.journal.once("directions", lambda: linalg.eigh(roots[:, None] * cost.gram * roots))
        where = Coordinates(roots, vectors)
        reference = 1.0 + np.maximum(stiffness, 0.0)
        mobility = 1.0 / reference
        step_size, steps = 1.0, q.steps or QUADRATIC_STEPS
    else:
        hessian = cost.gram + np.diag(1.0 / q.prior_variances)
        reference, vectors = q.journal.once("directions", lambda: linalg.eigh(hessian))
        where = Coordinates(np.ones(len(roots)), vectors)
        mobility = np.ones(len(roots))
        step_size, steps = q.step_size, _length(q, float(reference.min()), q.step_size)
    pull = -(cost.linear * where.scales) @ where.rotation
    start = _start(q, where)
    scheme = schemes.exponential_euler(step_size, mobility, reference, np.zeros(len(roots)))
    constant = np.broadcast_to(pull, start.shape).copy()
    flow = LangevinFlow(partial(_constant, constant), scheme, start, q.seed)
    facts = {"time": "relaxation" if q.step_size is None else "thesis", "exact steps": True}
    return Plan("quadratic", flow, where, cost.moved(where), steps, step_size, facts)


def preconditioned(q: Question, may_refuse: bool) -> Plan:
    """Exponential Euler with the inverse curvature at the mode as the mobility: every direction relaxes alike.

    Where classes are nearly separable the curvature at the mode says little of that elsewhere, and steps without bias
    are tiny. With ``may_refuse`` the plan is then `mixing`.
    """
    where, stiffness, cost = _whitened(q)
    reference = 1.0 + stiffness

    def curvature() -> tuple[float]:
        bound = q.likelihood.curvature_bound
        known = math.isfinite(bound)
        weights = None if known else _steepest(q.likelihood, cost, _start(q, where)[:SHOWN_TO_RULE])
        hessian = (bound if known else 1.0) * weighted_gram(cost.features, weights)
        return (float(linalg.eigvalsh(hessian / np.sqrt(reference[:, None] * reference))[-1]),)

    (steepest,) = q.journal.once("curvature", curvature)
    step_size = schemes.BIAS / max(steepest, schemes.BIAS) * _calm(q)
    steps = q.steps or math.ceil(RELAXATIONS / step_size)
    if may_refuse and q.steps is None and steps > MANY_STEPS:
        return _mixing(q, where, stiffness, cost)
    scheme = schemes.exponential_euler(step_size, 1.0 / reference, reference, -stiffness)
    flow = LangevinFlow(_force(q, cost, where), scheme, _start(q, where), q.seed)
    facts = {"time": "relaxation", "largest curvature": steepest}
    return Plan("preconditioned", flow, where, cost, steps, step_size, facts)


def thesis(q: Question, integrator: str) -> Plan:
    """(6.14) with mobility 1, by exponential Euler (the prior's part exact) or by Euler-Maruyama."""
    where = coordinates.thesis(len(q.prior_variances))
    precision = 1.0 / q.prior_variances
    cost: Any = DataCost(q.likelihood, q.features, q.y)
    start = _start(q, where)
    if q.likelihood.quadratic and q.batch_size is None:
        cost = QuadraticCost(q.likelihood.curvature_bound, q.features, q.y)

    def curvature() -> tuple[float, float]:
        if isinstance(cost, QuadraticCost):
            hessian = cost.gram
        elif math.isfinite(q.likelihood.curvature_bound):
            hessian = q.likelihood.curvature_bound * weighted_gram(q.features, None)
        else:
            hessian = weighted_gram(q.features, _steepest(q.likelihood, cost, start[:SHOWN_TO_RULE]))
        whole = linalg.eigvalsh(hessian + np.diag(precision))
        linear = whole if integrator == "euler-maruyama" else linalg.eigvalsh(hessian)
        return float(whole[0]), float(linear[-1])

    flattest, steepest = q.journal.once("curvature", curvature)
    step_size = q.step_size or schemes.BIAS / steepest * _calm(q)
    facts = {"time": "thesis", "largest curvature": steepest, "stability limit": 2.0 / steepest}
    if step_size >= 2.0 / steepest:
        warnings.warn(
            f"step_size {step_size:g} is beyond the stability limit {2.0 / steepest:.3g} of {integrator} on these data;"
            " the run may diverge",
            stacklevel=5,
        )
    if integrator == "euler-maruyama":
        scheme = schemes.euler_maruyama(step_size, precision)
    else:
        scheme = schemes.exponential_euler(step_size, np.ones(len(precision)), precision, np.zeros(len(precision)))
    # the curvature may be less than here assumed: half where the rate is f^2, none at all elsewhere
    known = 1.0 if q.likelihood.quadratic else 0.5 if q.likelihood.even else 0.0
    slowest = max(known * flattest, float(precision.min()))
    steps = _length(q, slowest, step_size)
    flow = LangevinFlow(_force(q, cost, where), scheme, start, q.seed)
    return Plan("thesis", flow, where, cost, steps, step_size, facts)


def mixing(q: Question) -> Plan:
    """Accepted steps and moves between modes, after a start in all modes by annealing."""
    return _mixing(q, *_whitened(q))


def _mixing(q: Question, where: Coordinates, stiffness: Array, cost: DataCost) -> Plan:
    turned = _regions(q, cost) if q.likelihood.even else []
    if q.initial is None:
        start, step_size, facts, taken = q.journal.once(
            "start", lambda: annealing.anneal(cost, stiffness, q.particles, q.seed, turned, q.journal)
        )
    else:
        start, step_size, facts, taken = where.of(q.initial), 0.25, {}, 0
    step_size = q.step_size or step_size
    between = _jumps(q, cost, start) if q.likelihood.even else None
    flow = MixingFlow(cost, stiffness, step_size, start.copy(), q.seed, turned, jumps=between)
    steps = q.steps or int(np.clip(10.0 / step_size, *MIXING_STEPS))
    return Plan("mixing", flow, where, cost, steps, step_size, {"time": "relaxation", **facts}, taken)


def _regions(q: Question, cost: DataCost) -> list[Region]:
    def find() -> tuple[Array, ...]:
        weights = q.likelihood.information(np.zeros(len(q.y))) * (q.y > 0.0)
        found = regions.find(q.X, cost.features, weights, q.seed)
        return tuple(array for region in found for array in region)

    arrays = q.journal.once("regions", find)
    return [Region(seen, moved) for seen, moved in zip(arrays[::2], arrays[1::2], strict=True)]


def _jumps(q: Question, cost: DataCost, start: Array) -> Jumps | None:
    arrays = q.journal.once("jumps", lambda: jumps.find(cost, start))
    return Jumps(*arrays) if arrays else None


def _whitened(q: Question) -> tuple[Coordinates, Array, DataCost]:
    """Coordinates in which the prior is N(0, I) and the Fisher information at the mode is diagonal."""
    dim = len(q.prior_variances)
    roots = np.sqrt(q.prior_variances)
    scaled = Coordinates(roots, np.eye(dim)).features_in_place(q.features)
    cost = DataCost(q.likelihood, scaled, q.y)

    def directions() -> tuple[Array, Array]:
        best = np.zeros(dim)
        if not q.likelihood.even:  # where it is even its information is the same everywhere, and 0 is no mode
            best, _ = mode.find(cost, np.eye(dim), best)
        information = q.likelihood.information(scaled @ best)
        where, stiffness = coordinates.whitened(scaled, np.ones(dim), information)
        return where.rotation, stiffness

    rotation, stiffness = q.journal.once("directions", directions)
    Coordinates(np.ones(dim), rotation).features_in_place(scaled)
    return Coordinates(roots, rotation), stiffness, cost


def _start(q: Question, where: Coordinates) -> Array:
    """The first particles, in the plan's coordinates: draws from the prior unless they are given."""
    if q.initial is not None:
        return where.of(q.initial)
    normals = noise.normals(q.seed, "start", q.particles, len(q.prior_variances))
    return where.of(normals * np.sqrt(q.prior_variances))


def _force(q: Question, cost: Any, where: Coordinates) -> Force:
    if q.batch_size is not None:
        reference = None
        if not q.likelihood.even:
            precision, zero = where.precision(q.prior_variances), np.zeros(len(q.prior_variances))
            (reference,) = q.journal.once("reference", lambda: mode.find(cost, precision, zero)[:1])
        return Minibatch(cost, q.batch_size, q.seed, reference)
    return partial(_gradients, cost)


# Functions of the module, not lambdas: a fitted sampler can then be pickled, as estimators in parallel searches are.
def _constant(forces: Array, z: Array, step: int) -> Array:
    return forces


def _gradients(cost: Any, z: Array, step: int) -> Array:
    return cost.gradients(z)


def _calm(q: Question) -> float:
    """How much smaller the default step is with small batches: their noise, common to all, averages over many steps."""
    return 1.0 if q.batch_size is None else min(1.0, q.batch_size / (BATCH * len(q.prior_variances)))


def _steepest(likelihood: Any, cost: DataCost, start: Array) -> Array:
    """The largest Fisher information of each row over some particles of the start."""
    return likelihood.information(cost.features @ start.T).max(axis=1)


def _length(q: Question, slowest: float, step_size: float) -> int:
    """The number of steps: as asked, or what takes `RELAXATIONS` relaxation times of the slowest direction."""
    if q.steps is not None:
        return q.steps
    steps = math.ceil(RELAXATIONS / (slowest * step_size))
    if steps > MOST_STEPS:
        raise ValueError(
            f"a step_size of {step_size:.3g} needs about {steps:.1e} steps to reach equilibrium; give steps, or leave"
            " step_size out and let the integrator be exponential-euler"
        )
    return steps
