"""The records of runs for the replay of a page: thinned to fit its size, 16 bits for each number, compressed (zlib)."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import diagnostics
from particlegvi.contracts import Array, Facts, Target
from particlegvi.diagnostics.particles import is_target
from particlegvi.pages.content import kind_of, page_label
from particlegvi.plotting.films import pace
from particlegvi.plotting.protocols import ParticleRun, is_atoms, is_density

ROOM = 300_000  # most bytes of all frames together
LEAST_PARTICLES = 20
NODES = {1: 801, 2: 49}  # of a density along each axis, by dimension
CODES = 65534  # the largest code of a number; the next code means "not finite"
MEASURED = 2000  # most particles from which W1 of a frame before the last is computed


class JudgedRun(NamedTuple):
    """The parts of one run that a replay needs, with its part of the summary."""

    run: ParticleRun
    target: Target | None
    facts: Facts


def replay(recorded: Mapping[str, JudgedRun], variables: list[str], frames: int, room: int = ROOM) -> Facts:
    """The replay of runs by label, with at most ``frames`` frames, in about ``room`` bytes.

    The frames are records of the run that has most of them, those of a film. Where all particles do not fit into
    ``room``, some are left out, evenly by their number.
    """
    first = max((each.run for each in recorded.values()), key=lambda run: len(run.positions))
    chosen = pace.chosen(np.asarray(first.times, dtype=np.float64), frames)
    dim = int(first.positions.shape[2])
    # a run that diverged has fewer records: its last one is repeated
    positions = [np.asarray(each.run.positions) for each in recorded.values()]
    tables = [each[np.minimum(chosen, len(each) - 1)] for each in positions]
    window = _window(tables)
    known: Facts = {
        "times": [float(f"{time:.6g}") for time in np.asarray(first.times)[chosen]],
        "steps": np.asarray(first.steps)[chosen].tolist(),
        "particles": first.positions.shape[1],
        "dim": dim,
        "variables": variables,
        "window": window.tolist(),
        "methods": [_method(label, each) for label, each in recorded.items()],
    }
    room = min(ROOM, room - len(json.dumps(known)))
    for method, each, table in zip(known["methods"], recorded.values(), tables, strict=True):
        method["numbers"] = _numbers(each, table)  # of all particles, of which the page may have some
    room -= sum(len(json.dumps(method["numbers"])) for method in known["methods"])
    number = min(
        first.positions.shape[1], max(LEAST_PARTICLES, room // (len(chosen) * dim * len(recorded)))
    )  # a byte for each number
    while True:
        kept = np.linspace(0, first.positions.shape[1] - 1, number).round().astype(np.int64)
        codes = np.stack([_coded(table[:, kept], window) for table in tables], axis=1)  # (frames, methods, dim, kept)
        frames_packed = _packed(codes)
        if len(frames_packed) <= room or number <= LEAST_PARTICLES:
            break
        number = max(LEAST_PARTICLES, int(0.98 * number * room / len(frames_packed)))
    return {**known, "frames": frames_packed, "shown": number}


def _window(tables: list[Array]) -> Array:
    """The window (dim, 2) of the picture: it holds the particles, without outer thousandths that lie far out."""
    together = np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables])
    together = together[np.isfinite(together).all(axis=1)]
    if not len(together):
        return np.tile([-1.0, 1.0], (tables[0].shape[-1], 1))
    low, high = np.quantile(together, 0.001, axis=0), np.quantile(together, 0.999, axis=0)
    pad = 0.25 * np.maximum(high - low, 1e-6)
    return np.stack([np.maximum(together.min(axis=0), low - pad), np.minimum(together.max(axis=0), high + pad)], 1) + [
        [-1e-9, 1e-9]
    ] * len(low)


def _numbers(recorded: JudgedRun, table: Array) -> Facts:
    """Mean and sd of each coordinate, and W1 (sliced in the plane), of all particles (frames, particles, dim).

    W1 of a frame before the last is computed from at most 2000 particles: evenly spaced quantiles on the line, and in
    the plane particles evenly by their number. W1 of the last frame is read from the summary.
    """
    with np.errstate(all="ignore"):  # a run that diverged has records without moments
        mean, sd = np.mean(table, axis=1), np.std(table, axis=1)
    facts, target = recorded.facts, recorded.target
    last = facts.get("w1", facts.get("sliced_w1"))
    distances = [None if last is None or target is None else _distance(frame, target) for frame in table[:-1]]
    moments = {name: [[_short(each) for each in row] for row in rows.tolist()] for name, rows in
               (("mean", mean), ("sd", sd))}  # fmt: skip
    return {**moments, "w1": [_short(each) for each in (*distances, last)]}


def _distance(x: Array, target: Target) -> float | None:
    if not np.all(np.isfinite(x)) or not is_target(target):
        return None
    few = min(len(x), MEASURED)
    if x.shape[1] == 1:
        places = ((np.arange(few) + 0.5) / few * len(x)).astype(np.int64)  # the middle of each of so many equal parts
        return float(diagnostics.wasserstein1(np.sort(x[:, 0])[places], target))
    kept = np.linspace(0, len(x) - 1, few).round().astype(np.int64)
    return float(diagnostics.sliced_wasserstein(x[kept], target))


def _short(number: float | None, digits: int = 6) -> float | None:
    return None if number is None or not math.isfinite(number) else float(f"{number:.{digits}g}")


def _coded(table: Array, window: Array) -> NDArray[np.uint16]:
    """Places in the window as whole numbers from 0 to CODES, (frames, dim, particles); 0 and CODES are its edges."""
    share = (table - window[:, 0]) / (window[:, 1] - window[:, 0])
    known = np.isfinite(share)
    codes = np.where(known, np.round(np.clip(np.where(known, share, 0.0), 0.0, 1.0) * CODES), CODES + 1)
    return np.ascontiguousarray(codes.astype(np.uint16).transpose(0, 2, 1))


def _packed(codes: NDArray[np.uint16]) -> str:
    flat = codes.reshape(-1)
    planes = (flat >> 8).astype(np.uint8).tobytes() + (flat & 255).astype(np.uint8).tobytes()
    return base64.b64encode(zlib.compress(planes, 9)).decode()


def _method(label: str, recorded: JudgedRun) -> Facts:
    method, facts = recorded.run.method, recorded.facts
    weights = [
        f"{key} {weight:g}"
        for key, weight in (("kl_weight", method.kl_weight), ("mmd_weight", method.mmd_weight))
        if weight > 0.0
    ]
    verdict, floor = facts.get("equilibrium"), _exact_draws(facts)
    return {
        "label": page_label(label),
        "type": kind_of(method) or method.label,
        "note": ", ".join(weights),
        "truth": truth(recorded.target),
        "floor": floor if floor and np.all(np.isfinite(floor)) else None,
        "verdict": verdict["verdict"] if isinstance(verdict, dict) else "",
    }


def _exact_draws(facts: Facts) -> list[float]:
    """The 5%, 95% and, if known, 99% quantiles of W1 (sliced in the plane) of exact draws; empty if none is known."""
    for name in ("w1", "sliced_w1"):
        known = facts.get("distances", {}).get(name)
        if f"{name}_floor" in facts:
            return [*facts[f"{name}_floor"], *([] if known is None else [float(known["floor"][2])])]
    return []


def truth(target: Target | None) -> Facts | None:
    """The target for the page: atoms with weights on the line, or a density on a grid; None if it can draw neither."""
    if is_atoms(target):
        pairs = zip(target.atoms[:, 0].tolist(), target.weights.tolist(), strict=True)
        return {"atoms": [[_short(t, 10), _short(w, 10)] for t, w in pairs]} if target.dim == 1 else None
    if not is_density(target):
        return None
    low, high = (np.atleast_1d(np.asarray(end, dtype=np.float64)) for end in target.support)
    axes = [np.linspace(a, b, NODES[target.dim]) for a, b in zip(low, high, strict=True)]
    if target.dim == 1:  # the mean density around each node, which no mode escapes
        middles = 0.5 * (axes[0][1:] + axes[0][:-1])
        ends = np.concatenate([axes[0][:1], middles, axes[0][-1:]])
        density = np.diff(target.cdf(ends)) / np.diff(ends)
    else:
        first, second = np.meshgrid(*axes)
        density = target.pdf(np.column_stack([first.ravel(), second.ravel()]))
    density = np.where(density > 1e-7 * np.max(density), density, 0.0)
    digits = 5 if target.dim == 1 else 3
    numbers = [float(f"{each:.{digits}g}") for each in density]
    axes_known = [[float(a), float(b), NODES[target.dim]] for a, b in zip(low, high, strict=True)]
    return {"axes": axes_known, "density": numbers}
