"""The folder of a sample, which is written at the end, whole: seconds of work need no checkpoints.

    sample.json        prior, method and loss by name, seed, verdict and facts, versions, sha256 of the other files
    positions.npy      (records, particles, dim) float64
    draws-NUMBER.npy   the records that count as each variable of the model has them, (records, particles, ...) float64
    marginals.png      their histograms, where a terminal has asked for them

All files but ``sample.json``, which has the seconds, depend on arguments and versions alone.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from particlegvi.contracts import Array, Facts, Loss, Method, Prior
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.runs.storage.arrays import read_array, write_array
from particlegvi.runs.storage.creating import create_whole
from particlegvi.scenario.kinds.particles import building, entries
from particlegvi.simulation.sampling.sample import Sample, described
from particlegvi.tools import arguments, files
from particlegvi.tools.errors import LossNotHere
from particlegvi.tools.sources import versions

MANIFEST, FORMAT, PICTURE = "sample.json", "particlegvi sample 1", "marginals.png"


class DrawsFolder:
    """A folder that a sample will get; a ValueError where it cannot have it, before anything is computed."""

    def __init__(self, out: str | os.PathLike[str], overwrite: bool, loss: Loss, prior: Prior, method: Method) -> None:
        self.place = files.place("out", out)
        replaced = arguments.flag("overwrite", overwrite) and is_sample(self.place)
        if os.path.lexists(self.place) and not (replaced and all(map(_is_own, self.place.iterdir()))):
            raise ValueError(
                f"{self.place} exists already; choose another folder, or, where it has the files of a sample and no"
                " others, say --overwrite (overwrite=True)"
            )
        made = building.Parts(loss, prior, None, {method.label: method})  # type: ignore[arg-type]  # any loss will do
        self.parts = entries.complete({"step_size": 1.0, "integrator": "mala"}, made)

    def save(self, run: Sample) -> None:
        """Write the folder under another name, and rename it."""
        if os.path.lexists(self.place):
            _remove(self.place)
        if not create_whole(self.place, lambda folder: self._fill(folder, run)):
            raise ValueError(f"{self.place} exists already: another run has just made it")

    def _fill(self, folder: Path, run: Sample) -> None:
        draws = {name: values.reshape(-1, run.particles, *values.shape[1:]) for name, values in run.pooled().items()}
        arrays = {"positions.npy": run.positions}
        arrays |= {f"draws-{number}.npy": np.asarray(values, float) for number, values in enumerate(draws.values())}
        for name, array in arrays.items():
            write_array(folder / name, array)
        content = {
            "format": FORMAT,
            "seed": run.seed,
            **{key: self.parts[key] for key in ("loss", "prior", "methods")},
            "coordinates": run.variables,
            "names": list(draws),
            "info": run.info,
            "versions": versions(),
            "sha256": {name: files.digest(folder / name) for name in arrays},
        }
        files.write_json(folder / MANIFEST, files.finite(content))


def is_sample(path: str | os.PathLike[str]) -> bool:
    """Whether this is the folder of a sample."""
    return files.has_format(files.place("folder", path) / MANIFEST, FORMAT)


def load(path: str | os.PathLike[str], loss: Loss | None = None) -> Sample:
    """The sample in a folder; with ``loss`` it has the loss, which must be the same one."""
    place = files.place("folder", path)
    content = files.read_json(place / MANIFEST)
    try:
        known: Facts = content["loss"]
        own = building.loss_of(known) if loss is None else loss
        if loss is not None and "given" in known:
            entries.check_same(place, known, loss)
        ((label, entry),) = content["methods"].items()
        method = building.method_of(label, entry, None)
        coordinates, names = list(map(str, content["coordinates"])), list(map(str, content["names"]))
        prior = building.prior_of(content["prior"], "prior", own.dim, coordinates)
        positions = _read(place, "positions.npy", content)
        if positions.shape[2:] != (own.dim,) or len(coordinates) != own.dim or not positions.size:
            raise ValueError(f"its positions have the shape {positions.shape}")
        draws = {name: _read(place, f"draws-{number}.npy", content) for number, name in enumerate(names)}
        info = dict(content["info"])
        counted = positions[-int(info["counted"]) :]
        if any(values.shape[:2] != counted.shape[:2] for values in draws.values()):
            raise ValueError("its draws have another number of records or particles than its positions")
        if loss is None and "given" in known and isinstance(own, PackageLoss):
            own.variables = coordinates
            own.constraining = _StoredDraws(counted, draws)
        run = Sample(label, own, prior, method, positions, np.arange(len(positions)), float(info["step_size"]),
                     arguments.seed(content["seed"]), info, describer=described)  # fmt: skip
        described(run)  # facts of other types are found here
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{place / MANIFEST} is damaged: {error!r}") from None
    except ValueError as error:
        raise ValueError(f"{place} does not hold a whole sample: {error}") from None
    return run


class _StoredDraws:
    """The variables of the final particles, or of all records that count; those of other points need the model."""

    def __init__(self, counted: Array, draws: dict[str, Array]) -> None:
        self.counted, self.draws = counted, draws

    def __call__(self, points: Array) -> dict[str, Array]:
        if np.array_equal(points, self.counted[-1]):
            return {name: values[-1].copy() for name, values in self.draws.items()}
        if np.array_equal(points, self.counted.reshape(-1, points.shape[1])):
            return {name: values.reshape(-1, *values.shape[2:]).copy() for name, values in self.draws.items()}
        raise LossNotHere("variables of earlier records need the model: pg.load(folder, loss=...) takes it")


def _read(place: Path, name: str, content: Facts) -> Array:
    if files.digest(place / name) != content["sha256"][name]:
        raise ValueError(f"the sha256 of {name} is not the one in {MANIFEST}")
    array: Array = read_array(place / name, np.float64, 3 if name == "positions.npy" else None)
    return array


def _is_own(place: Path) -> bool:
    return place.name in (MANIFEST, PICTURE, "positions.npy") or place.match("draws-*.npy")


def _remove(place: Path) -> None:
    """Remove the files of a sample, and its folder."""
    for file in filter(_is_own, place.iterdir()):
        files.remove(file)
    place.rmdir()
