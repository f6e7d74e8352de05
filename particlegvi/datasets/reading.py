"""Data sets by name: the file is found, verified, and read without the columns that leak the target."""

from __future__ import annotations

import gzip
import hashlib
import os
import tomllib
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tools import arguments, files, machine, plugins
from particlegvi.tools.errors import needed
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import look_up

TASKS = ("regression", "classification")
LARGEST = 50_000_000  # bytes of a file, packed or not; the largest set unpacks to 3.5 million


Function = TypeVar("Function", bound=Callable[[], "Dataset"])


class MissingData(ValueError):
    """The file of a data set is in none of the folders that `load` searches."""


@dataclass(frozen=True)
class Dataset:
    """One supervised problem, as in its file: neither scaled nor shuffled.

    Attributes
    ----------
    name : str
    task : str
        ``"regression"`` or ``"classification"``.
    X : array (rows, inputs)
    y : array (rows,)
        In classification 0 and 1.
    inputs : tuple of str
        The names of the columns of X.
    target : str
        The name of the column y.
    note : str
        Remarks on these data; may be empty.
    source, licence : str
    """

    name: str
    task: str
    X: np.ndarray
    y: np.ndarray
    inputs: tuple[str, ...] = ()
    target: str = "y"
    note: str = ""
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", arguments.copied(self.X))
        object.__setattr__(self, "y", arguments.copied(self.y))

    def distinct(self) -> Dataset:
        """The problem without rows whose inputs and target repeat an earlier row."""
        first = np.sort(np.unique(np.column_stack([self.X, self.y]), axis=0, return_index=True)[1])
        return replace(self, X=self.X[first], y=self.y[first])


def names() -> list[str]:
    """The names of all data sets with a file or from outside, in alphabetical order; files may be missing."""
    return sorted({*catalogue()["sets"], *plugins.names("datasets")})


def load(name: str) -> Dataset:
    """A data set by name, from ``$PARTICLEGVI_DATA`` or else from the folder ``data`` of this user's cache.

    Parameters
    ----------
    name : str
        One of `names`, among them those of `register`, or "breast-diagnostic", "diabetes-progression" or "digits",
        which come with scikit-learn.

    Returns
    -------
    Dataset
        Without constant columns and those that leak the target (its ``note`` names them).

    Raises
    ------
    MissingData
        If the file is in neither folder; a ``ValueError`` that says how to get it.
    ValueError
        If no data set has this name, or the file differs from the one that the catalogue names.
    """
    if isinstance(name, str) and name in catalogue()["shipped"]:
        return _shipped(name, **catalogue()["shipped"][name])
    if isinstance(name, str) and name not in catalogue()["sets"] and name in plugins.names("datasets"):
        return _own(name)
    entry, file = entries(name)
    path = find(entry["file"])
    if path is None:
        places = " or ".join(str(folder) for folder in folders())
        raise MissingData(
            f'the data set "{name}" needs the file {entry["file"]}.csv.gz or {entry["file"]}.csv, which is not in '
            f"{places}: particlegvi data {name} says how to get it, and PARTICLEGVI_DATA names the folder of such files"
        )
    table, columns = _table(path, file["sha256"])
    kept = [c for c in columns if c != entry["target"] and c not in entry.get("leave_out", ())]
    table = table[entry.get("rows_from") : entry.get("first_rows")]
    return Dataset(
        name=name,
        task=entry["task"],
        X=np.ascontiguousarray(table[:, [columns.index(c) for c in kept]]),
        y=table[:, columns.index(entry["target"])].copy(),
        inputs=tuple(kept),
        target=entry["target"],
        note=entry.get("note", ""),
        source=file["source"],
        licence=file["licence"],
    )


def _shipped(name: str, function: str, settings: Facts, **known: str) -> Dataset:
    """A set that comes with scikit-learn, by the name of its function there; an error names the extra without it."""
    needed(f'the data set "{name}"', "learn", "sklearn")
    from sklearn import datasets

    shipped = vars(datasets)[function](**settings)
    inputs = tuple(str(feature).replace(" ", "_") for feature in shipped.feature_names)
    X = np.ascontiguousarray(shipped.data, dtype=np.float64)
    return Dataset(name, X=X, y=shipped.target.astype(np.float64), inputs=inputs, source="scikit-learn", **known)


def register(function: Function) -> Function:
    """Make a data set of your own known: a function without arguments that returns a `Dataset`; also as a decorator.

    Its attribute ``name`` is the name of the set. A ValueError if it has none, or the name is taken. An installed
    package names such functions as entry points of the group ``particlegvi.datasets``.
    """
    return plugins.register("datasets", "data set", function, [*catalogue()["sets"], *catalogue()["shipped"]])


def _own(name: str) -> Dataset:
    """The data set that a function from outside returns, checked."""
    function: Any = plugins.find("datasets", name, "data set")
    data = function()
    if not isinstance(data, Dataset):
        raise refuse(f"the data set {name}", data, "a Dataset, which its function returns")
    if data.task not in TASKS:
        raise refuse(f"the task of {name}", data.task, " or ".join(f'"{task}"' for task in TASKS))
    X = arguments.points(f"X of {name}", data.X, least=1)
    return replace(data, name=name, X=X, y=arguments.vector(f"y of {name}", data.y, len(X)))


@cache
def catalogue() -> dict[str, Any]:
    """The content of catalogue.toml: ``sets`` by their names, and the ``files`` that they are in."""
    return tomllib.loads(Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8"))


def entries(name: str) -> tuple[Facts, Facts]:
    """The entries of a data set and of its file in the catalogue; a ValueError if there is no set of this name."""
    entry = look_up("data set", name, catalogue()["sets"])
    return entry, catalogue()["files"][entry["file"]]


def folders() -> list[Path]:
    """The folders that `load` searches, in this order."""
    chosen = os.environ.get("PARTICLEGVI_DATA")
    return [*([Path(chosen)] if chosen else []), machine.user_cache_folder() / "data"]


def find(stem: str) -> Path | None:
    """The first file of this name, packed or not, in `folders`."""
    places = [folder / f"{stem}{suffix}" for folder in folders() for suffix in (".csv.gz", ".csv")]
    return next((path for path in places if path.exists()), None)


def unpacked(path: Path) -> bytes:
    """The content of a file, unpacked if gzip has packed it; at most one byte more than `LARGEST`."""
    with files.open_regular(path) as file:
        try:
            packed = file.peek(2)[:2] == b"\x1f\x8b"
            return (gzip.GzipFile(fileobj=file) if packed else file).read(LARGEST + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path} cannot be unpacked: {error}") from None


def _table(path: Path, sha256: str) -> tuple[np.ndarray, list[str]]:
    """The numbers of a verified file (rows, columns), and the names of its columns."""
    content = unpacked(path)
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise ValueError(f"{path} is not the file that was meant: the sha256 of its text is {digest}, not {sha256}")
    head, *rows = content.decode("ascii").splitlines()
    return np.array([[float(word) for word in row.split(",")] for row in rows]), head.split(",")
