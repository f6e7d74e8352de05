"""Whether a run has reached its equilibrium, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.diagnostics.line_distances import DIRECTIONS
from particlegvi.diagnostics.misplaced import misplaced_in_words
from particlegvi.diagnostics.particles import reference
from particlegvi.scenario.kinds.particles.seen import usable
from particlegvi.simulation.run import Run

CONVERGED = 1e-6  # limit relative to the largest gradient at the start, or to the longest way of a particle
NEARLY = 0.02  # limit relative to the longest way of a particle
STUCK = 0.05  # a run is metastable if a smaller share of particles has changed basin
SHORT = 0.1  # a run is short if particles move less than this share of the squared distance of independent draws
SERIES = 40  # number of records at which a distance is computed
IN_SERIES = 500  # number of particles for each of these distances
PAIRED = 2000  # number of points that represent a target in the plane for these distances
UNMOVED = 100  # a particle at exactly the same place after so many steps counts as stuck


def equilibrium(run: Run, target: Any, found: Facts) -> Facts:
    """``reached`` (None if undecidable), ``since``, ``verdict`` and the largest ``drift``.

    ``found`` has the other keys of the run's summary.
    """
    if not usable(run):
        return _said(False, "diverged: particles have run away")
    if target is not None and target.kind == "gaussians":
        return _fitted(found)
    if target is not None and target.kind == "atoms":
        return _descended(run, target)
    moving = diagnostics.drift(run.positions, run.times, run.loss)
    if target is not None and "distances" in found:
        result = _against_density(run, target, found, moving)
        known = target.kind == "density" and result["reached"] is not False
        odd = misplaced_in_words(run.final, target) if known else ""
        result = _said(False, odd) if odd else result
    elif run.method.has_noise:
        result = _at_rest(run, moving)
    else:
        result = _moved(run)
    return result | ({"drift": moving._asdict()} if moving is not None else {})


def _said(reached: bool | None, verdict: str, since: float | None = None) -> Facts:
    return {"reached": reached, "since": since, "verdict": verdict}


def _against_density(run: Run, target: Any, found: Facts, moving: Any) -> Facts:
    name = "w1" if target.dim == 1 else "sliced_w1"
    distance = found["distances"][name]
    value, floor = distance["value"], distance["floor"][2]
    measured = f"{'W1' if name == 'w1' else 'sliced W1'} {value:.3g}, where 99% of exact draws stay below {floor:.3g}"
    occupancy = found.get("basin_occupancy")
    apart = _wrong_shares(occupancy) if occupancy and "counts" in occupancy else ""
    jumped = "jumps" in run.info  # jumps determine the shares, even with few basins
    stuck = "" if not occupancy or jumped or occupancy["changed"] > STUCK * run.particles else _changed(run, occupancy)
    if moving is not None and moving.significant:
        return _said(False, f"not yet at equilibrium: {_drifting(moving)} ({measured})")
    if apart and stuck:
        return _said(
            False,
            f"metastable: at rest inside the basins, whose shares come from the start and are not Q*'s: {apart};"
            f" {stuck}",
        )
    if apart:
        return _said(False, f"not at Q*: {apart} ({measured})")
    held = _unmoved(run) if run.method.has_noise else ""
    slow = _hardly_moved(run) if run.method.has_noise and not stuck else ""
    beyond = measured if value > 1.5 * floor else _beyond(found, run.particles, target.kind == "draws")
    if beyond and slow:
        return _said(False, f"not yet at equilibrium: {slow} ({beyond})")
    if beyond:
        unknown = "" if moving is not None else ", and no records to tell whether it still moves"
        rest = "at rest, but not at Q*" if moving is not None else "not at Q*"
        return _said(False, f"{rest}: {beyond}{'; ' * bool(held)}{held}{unknown}")
    near = "within chance of Q*" if value <= floor else "near Q*, farther than chance allows in 99 of 100 cases"
    if held:
        return _said(None, f"{near}, but {held} ({measured})")
    if stuck:
        return _said(None, f"{near}, but metastable: {stuck}, so that their shares come from the start ({measured})")
    if 1.5 * floor > np.sqrt(np.mean(target.variance)):
        few = "1 particle" if run.particles == 1 else f"{run.particles} particles"
        return _said(None, f"{near}, as {few} can be anywhere: too few to tell ({measured})")
    if slow:
        return _said(None, f"{near}, but {slow}: too short to tell ({measured})")
    if value > floor:
        return _said(None, f"{near}: {measured}")
    begun = since(run, target, distance)
    start = f" since t = {begun:.3g}" if begun is not None else ""
    return _said(True, f"at equilibrium{start}: {measured}", begun)


def _beyond(found: Facts, number: int, by_draws: bool) -> str:
    """A diagnostic beyond its limit where W1 is within its own, in words; empty if there is none.

    For example, a few distant particles change the excess energy, but hardly W1.

    A discrepancy counts, like W1, from 1.5 times the value that 99% of exact draws stay below. The excess energy counts
    from four standard errors (with Cornish and Fisher's correction for the skewness of one Gaussian mode on the line,
    2.5 sqrt(8/n)) and a fiftieth of its standard deviation.
    """
    excess = found.get("excess_energy")
    if excess is not None and not abs(excess["deviation"]) <= max(4.0 + 7.1 / np.sqrt(number), 0.02 * np.sqrt(number)):
        return (
            f"the mean excess energy is {excess['mean']:.3g} where {excess['expected']:.3g} is expected,"
            f" {abs(excess['deviation']):.1f} standard errors {'above' if excess['deviation'] > 0.0 else 'below'}"
        )
    names = {"ksd": "the kernel Stein discrepancy", "ks": "the Kolmogorov-Smirnov distance"}
    if by_draws:
        names |= {"energy": "the energy distance", "mmd": "the MMD"}
    for name, words in names.items():
        known = found["distances"].get(name)
        if known is not None and known["value"] > 1.5 * known["floor"][2]:
            return f"{words} is {known['value']:.3g}, where 99% of exact draws stay below {known['floor'][2]:.3g}"
    return ""


def _unmoved(run: Run) -> str:
    """Count the particles that have not moved in the second half, in words: a Metropolis step may refuse for ever."""
    halfway = int(np.searchsorted(run.times, 0.5 * run.times[-1]))
    if run.steps[-1] - run.steps[halfway] < UNMOVED:
        return ""
    number = int(np.sum(np.all(run.positions[halfway] == run.final, axis=1)))
    return f"{number} of {run.particles} particles did not move in the second half" if number else ""


def _hardly_moved(run: Run) -> str:
    """A sentence if particles moved, in the second half, less than a tenth of the distance of independent draws.

    For independent draws E|x - x'|^2 is 2 var. An Ornstein-Uhlenbeck process moves by a tenth of this in a tenth of its
    relaxation time.
    """
    halfway = int(np.searchsorted(run.times, 0.5 * run.times[-1]))
    if run.particles < 2 or halfway >= len(run.positions) - 1:
        return ""
    moved = float(np.mean(np.sum((run.final - run.positions[halfway]) ** 2, axis=1)))
    draws = 2.0 * float(np.sum(np.var(run.final, axis=0)))
    if moved >= SHORT * draws:
        return ""
    return f"particles moved by {np.sqrt(moved / draws):.2g} times their distance from each other in the second half"


def _changed(run: Run, occupancy: Facts) -> str:
    late = " in the second half" if len(run.positions) > 2 else ""
    return f"{occupancy['changed'] or 'none'} of {run.particles} particles changed basin{late}"


def _wrong_shares(occupancy: Facts) -> str:
    """The basin with the count farthest outside the limits of chance, in words; empty if all are inside."""
    worst, text = 0.0, ""
    total = sum(occupancy["counts"])
    for mode, count, mass, (low, high) in zip(
        occupancy["modes"], occupancy["counts"], occupancy["target"], occupancy["limits"], strict=True
    ):
        outside = max(low - count, count - high)
        if outside > worst:
            where = ", ".join(f"{each:.3g}" for each in mode)
            worst, text = outside, f"{count} of {total} particles around ({where}), where {mass * total:.4g} are due"
    return text


def _drifting(moving: Any) -> str:
    way = "rises" if moving.change > 0.0 else "falls"
    return f"the {moving.name} still {way} by {abs(moving.standard_errors):.1f} standard errors over the last quarter"


def _at_rest(run: Run, moving: Any) -> Facts:
    if moving is None:
        return _said(None, "unknown: there is no truth to compare with and no record to tell whether it still moves")
    if moving.significant:
        return _said(False, f"not yet at equilibrium: {_drifting(moving)}")
    held, slow = _unmoved(run), _hardly_moved(run)
    if held:
        return _said(False, f"not at equilibrium: {held}")
    if slow:
        return _said(None, f"unknown: {slow}, too short to tell")
    return _said(None, "at rest over the second half, as far as its mean loss, means and spreads tell")


def _moved(run: Run) -> Facts:
    """The verdict for flows without noise and without a known end, from the last movements of the particles."""
    middle = int(np.searchsorted(run.times, 0.75 * run.times[-1]))
    if middle >= len(run.positions) - 1:
        return _said(None, "unknown: there is no truth to compare with and no record to tell whether it still moves")
    spread = max(float(np.mean(np.var(x, axis=0))) for x in (run.initial, run.final))  # the end may be one point
    scale = np.sqrt(spread) or float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    most = float(np.max(np.linalg.norm(run.final - run.positions[middle], axis=1)))
    if most <= NEARLY * scale:
        return _said(None, f"at rest: no particle moved by more than {most:.2g} in the last quarter")
    return _said(False, f"not yet at rest: a particle still moved by {most:.2g} in the last quarter")


def _descended(run: Run, target: Any) -> Facts:
    """The verdict for deep ensembles: the largest remaining gradient, and the farthest particle from its minimum."""
    slope = np.linalg.norm(_free_gradient(run, run.final), axis=1)
    steepest = float(np.max(slope))
    first = float(np.max(np.linalg.norm(_free_gradient(run, run.initial), axis=1)))
    away, nearest = _nearest(target.atoms, run.final)
    scale = float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    # Particles at rest in minima that the target leaves out, if there are not more than the target's error allows.
    rare = (away > NEARLY * scale) & (slope <= CONVERGED * first)
    due = diagnostics.binomial_limits(run.particles, min(target.error, 1.0), 0.999)[1]
    few = 0 < np.count_nonzero(rare) <= min(due, run.particles - 1)
    known = ~rare if few else np.full(run.particles, True)
    away, nearest = away[known], nearest[known]
    farthest = float(np.max(away))
    left = f"largest remaining gradient {steepest:.1e}, farthest particle {farthest:.1e} from a minimum"
    if few:
        left += f", but for {np.count_nonzero(rare)} in basins that hold less than {target.error:.1g} of the start"
    if farthest > NEARLY * scale:
        return _said(False, f"not yet converged: {left}")
    counts = np.bincount(nearest, minlength=len(target.atoms))
    for atom, count, weight in zip(target.atoms, counts, target.weights, strict=True):
        low, high = diagnostics.binomial_limits(run.particles, float(weight), 1.0 - 0.001 / len(counts))
        if not low <= count <= high:
            where = ", ".join(f"{each:.3g}" for each in atom)
            return _said(False, f"converged, but {count} particles at ({where}), where {low} to {high} are due")
    begun = _settled(run, NEARLY * scale)
    start = f" since t = {begun:.3g}" if begun is not None else ""
    nearly = "" if steepest <= CONVERGED * max(first, 1e-300) or farthest <= CONVERGED * scale else "nearly "
    return _said(True, f"{nearly}converged{start} to the local minima that the starts flow to: {left}", begun)


def _nearest(atoms: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance to the nearest atom and its index for each particle, both (n,)."""
    if atoms.shape[1] == 1:  # sort: no tree is needed, nor the time to load one
        nearest = np.searchsorted(0.5 * (atoms[1:, 0] + atoms[:-1, 0]), x[:, 0])
        return np.abs(x - atoms[nearest])[:, 0], nearest
    from scipy.spatial import cKDTree

    away, nearest = cKDTree(atoms).query(x)
    return away, nearest


def _settled(run: Run, near: float) -> float | None:
    """The first recorded time from which on every particle stays ``near`` its end."""
    if len(run.positions) < 3:
        return None
    for record in range(len(run.positions) - 2, -1, -1):
        if np.max(np.linalg.norm(run.positions[record] - run.final, axis=1)) > near:
            return float(run.times[record + 1])
    return float(run.times[0])


def _free_gradient(run: Run, x: np.ndarray) -> np.ndarray:
    """The gradient without the components that push particles against the walls of the prior's box."""
    slope = np.array(run.loss.gradient(np.ascontiguousarray(x)))
    slope[(x <= run.prior.low) & (slope > 0.0)] = 0.0
    slope[(x >= run.prior.high) & (slope < 0.0)] = 0.0
    return slope


def _fitted(found: Facts) -> Facts:
    """The verdict for FD-GVI: the distance of the fitted Gaussian from the local optimum of its start."""
    optima, run = found["optima"], found["run"]
    if optima["reached"] is None or "mean" not in run:
        return _said(None, "unknown: this start leads to no local optimum")
    best, goal = optima["all"][0], optima["all"][optima["reached"]]
    sd = np.array(goal["sd"])
    miss = float(np.max(np.abs([np.array(run["mean"]) - goal["mean"], np.array(run["sd"]) - sd]) / sd))
    where = f"its mean and sd are within {miss:.2g} sd of the local optimum of this start"
    if miss > 0.1:
        return _said(False, f"not yet converged: {where.replace('within', 'up to').replace(' of the', ' off the')}")
    worse = goal["objective"] - best["objective"]
    other = f"; the best optimum is lower by {worse:.3g}" if worse > 1e-6 else ""
    return _said(True, f"converged: {where}{other}")


def since(run: Run, target: Any, distance: Any) -> float | None:
    """The time from which on the particles are as close to their target as exact draws (99%), or None."""
    if len(run.positions) < 3:
        return None
    records = diagnostics.spread_records(len(run.positions), SERIES)
    used = diagnostics.spread_records(run.particles, IN_SERIES)
    points, worth = reference(target, PAIRED, run.seed)
    floor = distance["floor"][2]
    # the distance falls with the root of the number, and the target's points are a sample, too
    if target.dim > 1 or target.kind == "draws":
        floor *= np.sqrt(distance["particles"] / len(used) * (1.0 + len(used) / worth))
    elif distance["particles"] != len(used):
        floor = diagnostics.wasserstein1_floor(target, len(used), (0.99,), seed=run.seed)[0]
    directions = 1 if target.dim == 1 else DIRECTIONS
    far = [diagnostics.sliced_wasserstein(run.positions[record][used], points, 1, directions) for record in records]
    return diagnostics.time_to_equilibrium(run.times[records], far, floor)
