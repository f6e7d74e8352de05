"""The compiled kernels of the package on the disk: one file for each, in a folder that is named by one digest.

numba's own cache looks only at the file that holds the decorated function: edit a loss in another file and a cached
caller keeps the old physics (numba issue 1833). And two processes that save at the same moment may give two kernels one
file. Here the digest covers every source that can enter compiled code (``SOURCES``), Python, numba and llvmlite, so an
edit opens a new, empty folder; and a file is named by its kernel, its types and the processor.

The cache only saves time. If a file is damaged, the whole folder is removed, and its kernels are compiled again. Code
from outside of the sources is compiled in memory only (`engine.numerics.user_code`): `from_outside` tells which it is.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from particlegvi.tools import machine
from particlegvi.tools.errors import warn

SOURCES = ("engine", "losses", "kernels", "priors", "functionspace/likelihoods")  # folders with compiled code
STALE_AFTER = 30 * 86400.0  # seconds
SUFFIX = ".nbc"
SIZE = 32  # bytes of the digest of a kernel, with which its file begins
FORM = CompileResultCacheImpl.__new__(CompileResultCacheImpl)  # numba's form of a kernel in a file, without its folders


@cache
def is_covered(module: str) -> bool:
    """Whether a module is in one of the ``SOURCES``."""
    return any(f"{module}.".startswith(f"particlegvi.{source}.".replace("/", ".")) for source in SOURCES)


def is_term(value: object) -> bool:
    """Whether this is a ``NamedTuple``, as terms are."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_ours(term: object) -> bool:
    """Whether a term and every term inside it are of the ``SOURCES``; anything else is."""
    if not isinstance(term, tuple):
        return True
    own = is_covered(type(term).__module__) or not is_term(term)
    return own and all(is_ours(field) for field in term if isinstance(field, tuple))


def from_outside(part: object) -> bool:
    """Whether a user made this part: a term with code from outside, or an object of a class from outside."""
    return not (is_ours(part) if isinstance(part, tuple) else type(part).__module__.startswith("particlegvi."))


@cache
def cache_digest() -> str:
    """Digest of every Python source in ``SOURCES``, by name and content, and of the versions that make machine code."""
    package = Path(__file__).resolve().parents[2]
    versions = [sys.implementation.cache_tag, metadata.version("numba"), metadata.version("llvmlite")]
    digest = hashlib.sha256(" ".join(map(str, versions)).encode())
    for folder in SOURCES:
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_parent() -> Path:
    """The folder that holds the kernels of these and of earlier sources: in ``NUMBA_CACHE_DIR`` where that is set."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return Path(chosen) / "particlegvi" if chosen else machine.user_cache_folder() / "compiled"


@cache
def cache_folder() -> Path | None:
    """The folder for kernels of exactly these sources; None where none can be written."""
    try:
        parent = cache_parent()
        folder = (parent / cache_digest()).absolute()
        if not folder.exists():
            folder.mkdir(parents=True)
            for other in parent.iterdir():  # of sources that nobody has used for a month
                if other.name != folder.name and time.time() - other.stat().st_mtime > STALE_AFTER:
                    shutil.rmtree(other, ignore_errors=True)
        os.utime(folder)
        return folder if os.access(folder, os.W_OK) else None
    except (OSError, RuntimeError):
        return None


class KernelCache:
    """The kernels of one function, with the methods that a dispatcher of numba asks of its cache."""

    def __init__(self, function: Callable[..., object], folder: Path) -> None:
        self.cache_path = str(folder)
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._folder = folder

    def _place(self, signature: object, codegen: Any) -> Path:
        key = f"{self._name} {signature} {codegen.magic_tuple()}"  # with the processor
        return self._folder / f"{self._name[-80:]}.{hashlib.sha256(key.encode()).hexdigest()[:24]}{SUFFIX}"

    def load_overload(self, signature: object, context: Any) -> Any:
        """The kernel for a signature; None where it is to be compiled."""
        place = self._place(signature, context.codegen())
        if not place.is_file():  # a pipe or a device neither
            return None
        try:
            # Not all that numba can compile, which takes longer than the kernels of a run: memory is enough.
            rtsys.initialize(context)
            content = place.read_bytes()
            if hashlib.sha256(content[SIZE:]).digest() != content[:SIZE]:
                raise ValueError(f"{place} is damaged")
            return FORM.rebuild(context, pickle.loads(content[SIZE:]))
        except Exception:
            shutil.rmtree(self._folder, ignore_errors=True)
            return None

    def save_overload(self, signature: object, kernel: Any) -> None:
        """Save a kernel under its own name at once, or tell why it is not saved."""
        if kernel.lifted or kernel.library.has_dynamic_globals:
            return
        place = self._place(signature, kernel.codegen)
        beside = place.with_name(f"{place.name}.{os.getpid()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            content = dumps(FORM.reduce(kernel))
            beside.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(beside, place)
        except OSError as error:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            _tell_once(f"compiled code cannot be kept in {self._folder} ({error.strerror})")


@cache
def _tell_once(sentence: str) -> None:
    warn(f"{sentence}; every process compiles it again")
