"""`Saved`, the base of estimators that can be written to a file and read again, without pickle."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Self, TypeVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from particlegvi.contracts import Facts
from particlegvi.functionspace.estimators import state
from particlegvi.tools import bundle, files, sources
from particlegvi.tools.export.writing import destination

FORMAT = "particlegvi estimator"
SCHEMA = 1
Kind = TypeVar("Kind")


class Saved(BaseEstimator):
    """An estimator with `save` and `load`; pickle and skops keep the same plain state."""

    def __getstate__(self) -> Facts:
        return {name: state.written(each) for name, each in vars(self).items()}

    def __setstate__(self, content: Facts) -> None:
        super().__setstate__(state.table(content))

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write the fitted estimator into a file, from which `load` makes one with the same predictions, bit for bit.

        Parameters
        ----------
        path : path
            A file that ends in .npz.
        overwrite : bool
            Whether a file that is there already is replaced.

        Raises
        ------
        ValueError
            If it is not fitted, the file cannot be written, or a parameter is an object that is not known by a name,
            such as a kernel of your own that is not registered, or a RandomState; nothing is written then.
        """
        check_is_fitted(self)
        place = destination(path, overwrite, (".npz",))
        manifest = {
            "format": FORMAT, "schema": SCHEMA, "class": type(self).__name__, "versions": sources.versions(),
            "state": self.__getstate__(),
        }  # fmt: skip
        try:
            bundle.write(place, manifest)
        except TypeError as error:
            name = str(error).removeprefix("state.")
            raise ValueError(
                f"{type(self).__name__} cannot be saved: {name} must be a number, a text, an array, or a part that is"
                " registered by a name"
            ) from None
        except OSError as error:
            raise ValueError(f"{place} cannot be written: {error.strerror or error}") from None
        return place

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The estimator of this class in a file that `save` has written; `particlegvi.load` takes every class.

        Raises
        ------
        ValueError
            If the file is not there, is damaged, of another kind, of a newer version, or holds another class.
        """
        manifest = bundle.read(files.place("path", path, "a file"), FORMAT)
        if manifest.get("schema") != SCHEMA:
            raise ValueError(f"{path} has the schema {manifest.get('schema')!r:.40}; this version reads {SCHEMA}")
        name = manifest.get("class")
        kind = next((each for each in _kinds(cls) if each.__name__ == name), None)
        if kind is None:
            raise ValueError(f"{path} must hold an estimator of the class {cls.__name__}, not {name!r:.60}")
        made = object.__new__(kind)
        try:
            made.__setstate__(manifest["state"])
            _try(made)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is damaged, or its parts are not here: {error}") from None
        return made


def _kinds(kind: type[Kind]) -> Iterator[type[Kind]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


def _try(made: Saved) -> None:
    """Predict at one input, so that parts that do not fit each other are noticed now."""
    names = vars(made).keys() - made.get_params(deep=False).keys()
    if not all(name.endswith("_") and not name.startswith("_") for name in names):
        raise ValueError("it has attributes that no fit sets")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn would warn that the input has no names of columns
        made.predict(made.input_mean_[None])
