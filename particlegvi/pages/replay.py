"""The records of runs as a page replays them: thinned to its size, 16 bits a number, deflated."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts, Target
from particlegvi.pages.content import kind_of
from particlegvi.plotting.results import HasDensity, ParticleRun, is_atoms, is_density

ROOM = 300_000  # bytes of all frames together at most
LEAST_PARTICLES = 20
NODES = {1: 401, 2: 49}  # of a density, a side
MOST_NODES = 6401
RESOLVED = 1e-3  # error of the mass on the nodes of a line
CODES = 65534  # the code after the last stands for what is no number
EARLY = 0.1  # share of the time that has half of the frames, because DE is over by then


class Recorded(NamedTuple):
    """The parts of one run that a replay needs.

    Attributes
    ----------
    run : Run
    target : target or None
    facts : dict
        Its part of the summary.
    """

    run: ParticleRun
    target: Target | None
    facts: Facts


class Supported(HasDensity, Protocol):
    """A target with a density that says where its mass is."""

    @property
    def support(self) -> tuple[Array, Array]: ...  # lower and upper ends, numbers in one dimension


def has_support(target: Target | None) -> TypeGuard[Supported]:
    return is_density(target)


def replay(recorded: Mapping[str, Recorded], variables: list[str], frames: int, room: int = ROOM) -> Facts:
    """The replay of runs by label, with at most so many frames, in about ``room`` bytes.

    Times are chosen from those that all runs have recorded, half of them from the first tenth of the time. Where all
    particles are too many for the size of a page, some are left out, evenly by their number.
    """
    first = max((each.run for each in recorded.values()), key=lambda run: len(run.positions))
    chosen = chosen_records(np.asarray(first.times, dtype=np.float64), frames)
    dim = int(first.positions.shape[2])
    # a run that diverged has fewer records, and stays at its last
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
    number = first.positions.shape[1]
    number = min(number, max(LEAST_PARTICLES, room // (len(chosen) * dim * len(recorded))))  # a byte each at the least
    while True:
        kept = np.linspace(0, first.positions.shape[1] - 1, number).round().astype(np.int64)
        codes = np.stack([_coded(table[:, kept], window) for table in tables], axis=1)  # (frames, methods, dim, kept)
        frames_packed = _packed(codes)
        if len(frames_packed) <= room or number <= LEAST_PARTICLES:
            break
        number = max(LEAST_PARTICLES, int(0.98 * number * room / len(frames_packed)))
    return {**known, "frames": frames_packed, "shown": number}


def chosen_records(times: Array, frames: int) -> NDArray[np.int64]:
    """Numbers of at most ``frames`` records, with both ends, half of them in the first tenth of the time."""
    if len(times) <= frames:
        return np.arange(len(times))
    early = np.flatnonzero(times <= EARLY * times[-1])
    late = np.flatnonzero(times > EARLY * times[-1])
    few = min(len(early), frames // 2)
    many = min(len(late), frames - few)
    few = min(len(early), frames - many)
    spread = [each[np.linspace(0, len(each) - 1, count).round().astype(np.int64)] for each, count in
              ((early, few), (late, many)) if count]  # fmt: skip
    found = np.unique(np.concatenate([[0], *spread, [len(times) - 1]]))
    return np.concatenate([found[:1], found[1:][1 - frames :]])


def _window(tables: list[Array]) -> Array:
    """(dim, 2): where the particles are, without the last thousandth on either side where that lies far out."""
    together = np.concatenate([table.reshape(-1, table.shape[-1]) for table in tables])
    together = together[np.isfinite(together).all(axis=1)]
    if not len(together):
        return np.tile([-1.0, 1.0], (tables[0].shape[-1], 1))
    low, high = np.quantile(together, 0.001, axis=0), np.quantile(together, 0.999, axis=0)
    pad = 0.25 * np.maximum(high - low, 1e-6)
    return np.stack([np.maximum(together.min(axis=0), low - pad), np.minimum(together.max(axis=0), high + pad)], 1) + [
        [-1e-9, 1e-9]
    ] * len(low)


def _coded(table: Array, window: Array) -> NDArray[np.uint16]:
    """Whole numbers from 0 to CODES in the window, (frames, dim, particles); what lies outside is put on its edge."""
    share = (table - window[:, 0]) / (window[:, 1] - window[:, 0])
    known = np.isfinite(share)
    codes = np.where(known, np.round(np.clip(np.where(known, share, 0.0), 0.0, 1.0) * CODES), CODES + 1)
    return np.ascontiguousarray(codes.astype(np.uint16).transpose(0, 2, 1))


def _packed(codes: NDArray[np.uint16]) -> str:
    flat = codes.reshape(-1)
    planes = (flat >> 8).astype(np.uint8).tobytes() + (flat & 255).astype(np.uint8).tobytes()
    return base64.b64encode(zlib.compress(planes, 9)).decode()


def _method(label: str, recorded: Recorded) -> Facts:
    method, facts = recorded.run.method, recorded.facts
    weights = [
        f"{key} {weight:g}"
        for key, weight in (("kl_weight", method.kl_weight), ("mmd_weight", method.mmd_weight))
        if weight > 0.0
    ]
    verdict, floor = facts.get("equilibrium"), facts.get("w1_floor", facts.get("sliced_w1_floor"))
    return {
        "label": label,
        "type": kind_of(method) or method.label,
        "note": ", ".join(weights),
        "truth": truth(recorded.target),
        "floor": floor if floor is not None and np.all(np.isfinite(floor)) else None,
        "verdict": verdict["verdict"] if isinstance(verdict, dict) else "",
    }


def truth(target: Target | None) -> Facts | None:
    """A target as the page draws it: atoms with weights on the line, or a density on a grid."""
    if is_atoms(target):
        pairs = zip(target.atoms[:, 0].tolist(), target.weights.tolist(), strict=True)
        return {"atoms": [list(pair) for pair in pairs]} if target.dim == 1 else None
    if not has_support(target):
        return None
    low, high = (np.atleast_1d(np.asarray(end, dtype=np.float64)) for end in target.support)
    count = NODES[target.dim]
    axes = [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]
    if target.dim == 1:
        density = target.pdf(axes[0])
        while abs(np.trapezoid(density, axes[0]) - 1.0) > RESOLVED:
            count = 4 * count - 3
            if count > MOST_NODES:  # more modes than can be drawn
                return None
            axes = [np.linspace(low[0], high[0], count)]
            density = target.pdf(axes[0])
    else:
        first, second = np.meshgrid(*axes)
        density = target.pdf(np.column_stack([first.ravel(), second.ravel()]))
    density = np.where(density > 1e-7 * np.max(density), density, 0.0)
    digits = 5 if target.dim == 1 else 3
    numbers = [float(f"{each:.{digits}g}") for each in density]
    return {"axes": [[float(a), float(b), count] for a, b in zip(low, high, strict=True)], "density": numbers}
