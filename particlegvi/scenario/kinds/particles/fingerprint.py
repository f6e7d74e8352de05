"""A digest of a loss that was handed in as an object: of the code and the data that it refers to."""

from __future__ import annotations

import functools
import sys
import sysconfig
import types

import numpy as np

from particlegvi.contracts import Array, Facts, Loss
from particlegvi.engine.numerics.outside_code import LIBRARIES, Content, Thing
from particlegvi.engine.terms.trial import trial_points
from particlegvi.losses.loss import Loss as OurLoss

# the innermost first: libraries are in a folder of the standard library
INSTALLED = tuple(sorted(map(sysconfig.get_path, ("purelib", "platlib", "stdlib", "platstdlib")), key=len)[::-1])
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"  # byte code is another one in each
NAMED = (types.ModuleType, type, types.BuiltinFunctionType)  # they say where they are from
CLOSE = 1e-9  # relative difference of values that are the same but for rounding


class Fingerprint(Content):
    """`Content` for code that uses any library: a library counts by its name and version, its arrays by their numbers.

    It is not ``portable`` where it comes to an object of which nothing is known, such as one of C++.
    """

    def _add_object(self, thing: Thing) -> None:
        if isinstance(thing, OurLoss):
            self._add(["loss", thing.dim, *thing.made_of])
        elif isinstance(thing, types.MethodType):
            self._add([thing.__func__, thing.__self__])
        elif isinstance(thing, types.BuiltinFunctionType) and not isinstance(thing.__self__, types.ModuleType | None):
            self._add([thing.__name__, thing.__self__])
        elif isinstance(thing, functools.partial):
            self._add([thing.func, thing.args, thing.keywords])
        elif isinstance(thing, types.FunctionType) and (library := _library(thing.__code__.co_filename)):
            self._put("library", library, thing.__qualname__)
            for cell in thing.__closure__ or ():  # a function that a library has made of the user's
                inside = cell.cell_contents
                if library == "particlegvi" or isinstance(inside, types.FunctionType) or _is_made_of_outside(inside):
                    self._add(inside)
        elif isinstance(thing, NAMED) and (library := _library_of_name(_home(thing))):
            self._put("library", library, thing.__name__)
        elif isinstance(thing, type) and not issubclass(thing, tuple):
            for owner in thing.__mro__:
                if not _library_of_name(owner.__module__):
                    self._add([each for _, each in sorted(vars(owner).items()) if isinstance(each, types.FunctionType)])
        elif callable(thing) and not isinstance(thing, types.FunctionType | type) and "__wrapped__" in dir(thing):
            self._put("made by a library", type(thing).__qualname__)
            self._add(thing.__wrapped__ if _is_made_of_outside(thing) else thing.__qualname__)
        elif (numbers := _numbers(thing)) is not None:
            self._add(numbers)
        elif _library_of_name(type(thing).__module__) in ("", "particlegvi") and "__dict__" in dir(thing):
            ours = type(thing).__module__.startswith("particlegvi.")
            self._add(type(thing))  # what it has computed for itself meanwhile is private
            self._add({name: each for name, each in vars(thing).items() if not (ours and name.startswith("_"))})
        else:
            super()._add_object(thing)


def _home(thing: Thing) -> str:
    return str(thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__)


def _library(file: str) -> str:
    """The name of the library that has this file, with its version; empty for a file of the user."""
    for place in INSTALLED:
        if file.startswith(place):
            return _library_of_name(file[len(place) + 1 :].replace("\\", "/").split("/")[0].removesuffix(".py"))
    return "particlegvi" if file.startswith(sys.modules["particlegvi"].__path__[0]) else ""


def _library_of_name(module: str) -> str:
    """The name and the version of the library to which a module belongs; empty for the user's own."""
    root = module.partition(".")[0]
    there = sys.modules.get(root)
    if root in LIBRARIES:
        return root  # the manifest has their versions
    places = [there.__file__ or ""] if there is not None and "__file__" in vars(there) else []
    if not any(each.startswith(INSTALLED) for each in places):
        return ""
    return f"{root} {vars(there).get('__version__', '')}"


def _is_made_of_outside(thing: Thing) -> bool:
    """Whether this is something that a library has made of a function of the user, such as a jitted function."""
    return callable(thing) and "__wrapped__" in dir(thing) and not _library_of_name(str(thing.__module__))


def _numbers(thing: Thing) -> Array | None:
    """The numbers of an array, a tensor or a table of another library; None for anything else."""
    if isinstance(thing, np.ndarray) or "__array__" not in dir(thing):
        return None
    try:
        found = np.asarray(thing)
    except Exception:  # a tensor on a device refuses
        return None
    return None if found.dtype == object else found


def entry(loss: Loss) -> Facts:
    """A scenario's entry for a loss without a registered name, which tells it from others."""
    digest = Fingerprint(loss)
    name = "".join(each for each in str(loss.name)[:80] if each.isprintable())
    said = f"{PYTHON} {digest.digest}" if digest.portable else ""
    return {"given": name or "loss", "dim": int(loss.dim), "digest": said, "values": _values(loss)}


def check_same(place: object, known: Facts, loss: Loss) -> str:
    """Refuse another loss than the one of a folder; a sentence about what cannot be checked, or nothing.

    ``place`` is the folder, for the message, and ``known`` the `entry` of its loss.
    """
    now = entry(loss)
    if now["dim"] != known["dim"]:
        raise ValueError(f"loss must be of dimension {known['dim']}, as that of {place} is, not {now['dim']}")
    comparable = known["digest"].split()[:1] == now["digest"].split()[:1] != []
    if comparable and known["digest"] != now["digest"]:
        changed = f'the code or the data of "{known["given"]}" has changed'
        raise ValueError(f"loss must be the one with which {place} was begun, not another: {changed}")
    if not np.allclose(known["values"], now["values"], rtol=CLOSE, atol=0.0):
        raise ValueError(f"loss must be the one with which {place} was begun, not another: its values differ")
    if comparable:
        return ""
    why = "it was begun in another Python" if known["digest"] and now["digest"] else "it uses objects without a text"
    return f"the code of the loss cannot be compared with that of {place}, as {why}; its values at a few points agree"


def _values(loss: Loss) -> list[float]:
    """The loss at a few points, 0 where it is not finite."""
    with np.errstate(all="ignore"):
        found = np.asarray(loss.value(trial_points(loss.dim)[:4]), dtype=np.float64)
    return np.where(np.isfinite(found), found, 0.0).tolist()
