"""One decorator for compiled entry points, with a disk cache that hits in new processes and never goes stale.

numba's own cache looks only at the file that holds the decorated function: edit a loss in another file and a cached
caller keeps the old physics (numba issue 1833). Here the cache lives in a per-user folder named by a digest of every
source that can enter compiled code (``SOURCES``), so an edit opens a new, empty folder. It lies in ``NUMBA_CACHE_DIR``
where the user has set that.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from functools import cache, partial, wraps
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
from numba import config

from particlegvi.engine.numerics.nesting import Options, helper_options
from particlegvi.engine.numerics.outside_code import NAMES, Content, copied_methods, is_term_class
from particlegvi.engine.numerics.shared_cache import NamedCache, SharedCache, share
from particlegvi.engine.numerics.uncompiled import failed
from particlegvi.tools.errors import warn

OPTIONS: Options = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
HELPER: Options = {**OPTIONS, **helper_options()}
INLINED: Options = {**HELPER, "forceinline": True}  # without it a loop over points does not vectorise
LOOP: Options = {**OPTIONS, **helper_options(optimised=True)}
SOURCES = ("engine", "losses", "kernels", "priors", "functionspace/likelihoods")  # folders with compiled code
# Plain Python in those folders, where a changed word recompiles nothing: no term is defined there, and no constant that
# compiled code reads.
NEVER_COMPILED = (
    "engine/jumps/ensemble.py", "engine/networks/ensemble.py", "engine/numerics/compiling.py",
    "engine/numerics/outside_code.py", "engine/numerics/shared_cache.py",
    "engine/numerics/threads.py", "engine/numerics/uncompiled.py",
    "engine/pairs/box_sum.py",
    "engine/pairs/nufft.py", "engine/pairs/repulsion.py", "engine/steps/ahead.py", "engine/terms/own_parts.py",
    "engine/terms/trial.py",
    "functionspace/likelihoods/__init__.py",
    "kernels/__init__.py", "kernels/bandwidth.py", "losses/__init__.py", "losses/checks.py", "losses/formulas/",
    "losses/loss.py", "priors/__init__.py", "priors/mean_embedding.py", "priors/stretched.py",
    "priors/placed.py", "priors/tabulating.py", "priors/tabulating_plane.py",
)  # fmt: skip
LIBRARIES = ("numpy", "scipy")  # of which compiled code from outside may contain functions
STALE_AFTER_DAYS = 30.0
OUTSIDE = "outside"  # the folder of folders with kernels that contain code from outside, beside those of the package

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The intrinsics below everything have no plain Python form, and numba asks again whenever it compiles an overload.
    warn("NUMBA_DISABLE_JIT is ignored: the engine exists as compiled code only")
    config.DISABLE_JIT = 0  # type: ignore[attr-defined]


def user_cache_folder() -> Path:
    """The folder for this user's caches: ``$XDG_CACHE_HOME``, or the platform's own folder of caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "particlegvi"


@cache
def source_digest() -> str:
    """Digest of every Python source in ``SOURCES`` that can enter compiled code, by name and content."""
    package = Path(__file__).resolve().parent.parent.parent
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((package / folder).rglob("*.py")):
            name = path.relative_to(package).as_posix()
            if not name.startswith(NEVER_COMPILED):
                digest.update(name.encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_parent() -> Path:
    """The folder that holds the compiled code of these and of earlier sources, which need not be there."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "particlegvi" if chosen else user_cache_folder() / "compiled"


@cache
def cache_folder() -> str:
    """The folder for compiled code of exactly these sources; empty when none can be written."""
    return _usable(cache_parent(), source_digest())


def _usable(parent: Path, name: str) -> str:
    """The folder of this name, made where it is not there; empty when it cannot be written."""
    try:
        folder = parent / name
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _forget_old_folders(parent, keep=folder)
        return str(folder) if os.access(folder, os.W_OK) else ""
    except (OSError, RuntimeError):
        return ""


def _forget_old_folders(parent: Path, keep: Path) -> None:
    """Remove caches of sources that have not been used for a month (each edit of the package leaves one)."""
    for other in parent.iterdir():
        if other not in (keep, parent / OUTSIDE) and time.time() - other.stat().st_mtime > STALE_AFTER_DAYS * 86400:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _folder_of(digests: frozenset[str]) -> str:
    """The folder for kernels that contain code from outside with exactly these contents.

    It is none of the package's: whatever happens there, the kernels of the package alone stay as they are.
    """
    whole = hashlib.sha256(" ".join([source_digest(), *map(metadata.version, LIBRARIES), *sorted(digests)]).encode())
    return _usable(cache_parent() / OUTSIDE, whole.hexdigest()[:16])


class EntryPoint:
    """A compiled entry point in several forms: one for the package's own terms, and one for each content from outside.

    Calling it runs the first. ``for_terms`` picks the form once per run: terms that a user defined are called as
    `distinct` makes them, and their kernels are kept apart from those of the package.
    """

    def __init__(self, function: Callable[..., Any]):
        wraps(function)(self)
        self.function = function
        self._of_content: dict[frozenset[str] | None, Any] = {}
        self.cached = _kept(function, cache_folder(), SharedCache)

    def __call__(self, *arguments: Any) -> Any:
        return self.cached(*arguments)

    def for_terms(self, *terms: Any) -> Any:
        """The function to call with these terms."""
        return self.cached if all(is_ours(term) for term in terms) else partial(_with_distinct_terms, self)

    def of_content(self, digests: frozenset[str] | None) -> Any:
        """The form for terms from outside with these contents; None: a content that no other process can have."""
        if digests not in self._of_content:
            folder = "" if digests is None else _folder_of(digests)
            self._of_content[digests] = _kept(self.function, folder, NamedCache)
        return self._of_content[digests]


def _kept(function: Callable[..., Any], folder: str, cache: type[SharedCache]) -> Any:
    """The function for numba, whose kernels are kept in this folder, if there is one."""
    made = numba.njit(**OPTIONS)(function)
    if folder:
        before = config.CACHE_DIR  # type: ignore[attr-defined]
        config.CACHE_DIR = folder  # type: ignore[attr-defined]
        try:
            share(made, folder, cache)
        finally:
            config.CACHE_DIR = before  # type: ignore[attr-defined]
    return made


def _with_distinct_terms(entry: EntryPoint, *arguments: object) -> object:
    given = [distinct(each) if isinstance(each, tuple) else each for each in arguments]
    found = {_digests.get(each) for thing in given for each in _outside_classes(thing)}
    try:
        return entry.of_content(None if None in found else frozenset(map(str, found)))(*given)
    except Exception as error:
        owners = tuple(type(each) for each in arguments if is_term(each) and not is_ours(each))
        if not owners or isinstance(error, MemoryError):
            raise
        raise failed(" or ".join(each.__name__ for each in owners), error, owners) from None


def _outside_classes(thing: object) -> Iterator[type]:
    """The classes of all terms from outside in a term, it included."""
    if isinstance(thing, tuple):
        if is_term(thing) and not is_covered(type(thing).__module__):
            yield type(thing)
        for field in thing:
            yield from _outside_classes(field)


def distinct(term: object) -> object:
    """A term from outside in a class whose name has the digest of its code; anything else as it is.

    numba's dispatcher recognises a namedtuple by the name of its class and the types of its fields, and by nothing
    else: of two classes of one name, for example of a notebook cell that is run again after an edit, the second would
    silently run the first one's code. An unchanged definition keeps its class here, and compiles nothing.
    """
    if not isinstance(term, tuple) or is_ours(term):
        return term
    fields = [distinct(field) if isinstance(field, tuple) else field for field in term]
    return tuple.__new__(_distinct_class(type(term)), fields) if is_term(term) else tuple(fields)


def _distinct_class(owner: type) -> type:
    """The class of all terms whose class has the content that ``owner`` has now."""
    if is_covered(owner.__module__):
        return owner  # of ours, with a field from outside
    known = _contents.get(owner)
    if known is None or not known.holds():
        _contents[owner] = known = Content(owner)
    found = _distinct_classes.get(known.digest)
    if found is None:
        name = f"{owner.__name__}_{known.digest}"
        content = {"__slots__": (), "__module__": NAMES.__name__, "__doc__": owner.__doc__, **copied_methods(owner)}
        found = _distinct_classes.setdefault(known.digest, type(name, (owner,), content))
        setattr(NAMES, name, found)
        if known.portable and not owner.__module__.startswith("particlegvi."):  # whose code has no digest here
            _digests[found] = known.digest
    return found


_contents: weakref.WeakKeyDictionary[type, Content] = weakref.WeakKeyDictionary()
_distinct_classes: dict[str, type] = {}
_digests: dict[type, str] = {}  # of those of them that another process would find with the same digest


def is_term(thing: object) -> bool:
    """Whether this is a ``NamedTuple``, as terms are."""
    return is_term_class(type(thing))


def is_ours(term: object) -> bool:
    """Whether the source digest covers a term and every term inside it; anything else is."""
    if not isinstance(term, tuple):
        return True
    own = is_covered(type(term).__module__) or not is_term(term)
    return own and all(is_ours(field) for field in term if isinstance(field, tuple))


@cache
def is_covered(module: str) -> bool:
    """Whether a module is in one of the ``SOURCES``."""
    package, _, place = module.partition(".")
    inside = any(f"{place}.".startswith(source.replace("/", ".") + ".") for source in SOURCES)
    return package == "particlegvi" and inside


def compiled(function: Callable[..., Any]) -> EntryPoint:
    """Decorate an entry point: a function called from Python with arrays, numbers and terms."""
    return EntryPoint(function)


def nested(function: Callable[..., Any]) -> Any:
    """Decorate a helper called from compiled code only: never cached by itself, it is part of its callers' caches."""
    return numba.njit(**HELPER)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Decorate a helper that must vanish into its caller: a small one, so that the loop around it is vectorised, or one
    called at every step, because a call counts references to each array it is given, atomically: 10 ns an array."""
    return numba.njit(**INLINED)(function)
