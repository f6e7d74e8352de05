"""numba's cache on the disk, for several processes at once: one of them compiles a kernel, and the others wait for it.

By itself numba compiles in each process, and two that save at the same moment can lose a kernel, or give two the same
file, so that a later process runs code for other arguments: the index of a function is read, changed and written.
Locks of the operating system prevent both; they end with their process, however that ends.

The cache only saves time, and no fault of it stops a run: a damaged kernel is compiled again, and one that cannot be
saved is compiled by the next process again. A power cut leaves files of length 0, a quota cuts them, a disk flips bits,
and people copy files. So each file ends with a seal: the digest of the content, of the name of the file, and of the
kernel that it is for. A file whose seal is wrong is removed, and its machine code is never run. numba reads its files
to the end of its own content, and does not see the seal.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

from particlegvi.tools import system
from particlegvi.tools.errors import warn

PATIENCE = 60.0  # seconds for a kernel that another process compiles; after that it is compiled here as well
PAUSE = 0.01
PLACES = 64  # files of locks: kernels that share one wait for each other without need, and nothing else happens


class SharedCache(FunctionCache):
    """The cache of one function. A kernel that is not in it is locked from the search for it until it is saved."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for a signature, waited for if another process compiles it; None where it is to be compiled."""
        found = self._found(sig, target_context)
        if found is not None:
            return found
        place = self._locks() / self._place(sig)
        ours = [_kept.pop() for each in _kept[:] if each.place == place]  # or a process would wait for itself
        lock = ours[0] if ours else Lock(place)
        try:
            if not ours and not lock.take():
                with event.trigger_event("numba:compile", data={"dispatcher": self, "args": sig}):  # who counts, hears
                    lock.wait()
            found = self._found(sig, target_context)  # which may have been saved by now
        except BaseException:
            lock.release()
            raise
        if found is None:
            _keep(lock)
        else:
            lock.release()
        return found

    def _found(self, sig: Any, target_context: Any) -> Any:
        """The kernel, or None, also where the files are right and numba cannot use them, as another numba might."""
        try:
            self._prepare(target_context)
            return self._load_overload(sig, target_context)
        except Exception as error:
            _tell_once(f"in {self.cache_path} cannot be used ({error!r})")
            return None

    def _prepare(self, target_context: Any) -> None:
        """Make everything known that a kernel calls: numba's memory.

        numba registers, and for that imports, all that it can compile, which takes longer than the kernels of a run.
        It does so by itself where something is compiled.
        """
        rtsys.initialize(target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a kernel, and let those go on who wait for it; on a disk that is full it is not saved."""
        index = Lock(self._locks() / "index")
        try:
            if not index.take():
                index.wait()
            super().save_overload(sig, data)
        except OSError as error:
            _tell_once(f"cannot be kept in {self.cache_path} ({error.strerror})")
        finally:
            index.release()
            _keep(None)

    def _locks(self) -> Path:
        return Path(self.cache_path).parent / "locks"

    def _place(self, sig: Any) -> str:
        name = f"{self._py_func.__module__}.{self._py_func.__qualname__}{sig}"
        return f"{int(hashlib.sha256(name.encode()).hexdigest(), 16) % PLACES:02d}"


class NamedCache(SharedCache):
    """A shared cache for code from outside, whose classes another process makes anew: it knows a class by its name.

    The name of a class from outside ends with the digest of the content of its class.
    """

    def _prepare(self, target_context: Any) -> None:
        target_context.refresh()  # code from outside may need more

    def _index_key(self, sig: Any, codegen: Any) -> tuple[object, ...]:
        _, *rest = super()._index_key(sig, codegen)
        return (str(sig), *rest)


def share(dispatcher: Any, folder: str, kind: type[SharedCache] = SharedCache) -> None:
    """Give a function of numba this cache, as its own ``enable_caching`` does with numba's: it takes no other class.

    There is none where ``folder``, which numba has been told, cannot be written: numba would choose one beside the
    sources then, whose names say nothing of edits in other files.
    """
    try:
        cache = kind(dispatcher.py_func)
    except (RuntimeError, OSError):
        return
    except Exception as error:  # another numba may have other insides
        _tell_once(f"cannot be kept ({error!r})")
        return
    if Path(folder) in Path(cache.cache_path).parents:
        vars(dispatcher)["_cache"] = cache


_told: list[str] = []


def _tell_once(what: str) -> None:
    if not _told:
        _told.append(what)
        warn(f"compiled code {what}; every process compiles it again")


class Lock:
    """A file that one process at a time holds; everyone does where the disk has no locks, and after `PATIENCE`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._file = -1
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self) -> bool:
        """Whether it is ours, or need not be."""
        try:
            return self._file < 0 or system.hold(self._file)
        except OSError:
            return True

    def wait(self) -> None:
        """Until it is ours, for `PATIENCE` at most."""
        end = time.monotonic() + PATIENCE
        while not self.take() and time.monotonic() < end:
            time.sleep(PAUSE)

    def release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_kept: list[Lock] = []  # of the kernel that is being compiled here: numba compiles one at a time, under a lock


def _keep(lock: Lock | None) -> None:
    """Hold this lock instead of the one before, also of a kernel whose compiling ended in an error."""
    while _kept:
        _kept.pop().release()
    if lock is not None:
        _kept.append(lock)


MARK = b"particlegvi"
SIZE = 32  # bytes of a digest


def seal(name: str, content: bytes, about: bytes) -> bytes:
    """The bytes that follow ``content`` in the file ``name``; ``about`` is the digest of the kernel that it is for."""
    return about + hashlib.sha256(b"\0".join((name.encode(), about, content))).digest() + MARK


def is_whole(place: Path, about: bytes | None = None) -> bool:
    """Whether a file has the right seal, and is for the kernel ``about``, where that is given.

    An OSError if it cannot be read, which is no damage.
    """
    found = place.read_bytes()
    end = len(found) - 2 * SIZE - len(MARK)
    if end < 0:
        return False
    content, stated = found[:end], found[end : end + SIZE]
    return seal(place.name, content, stated) == found[end:] and about in (None, stated)


class SealedFiles(IndexDataCacheFile):
    """The index of one function, and a file of machine code for each of its kernels."""

    _about = bytes(SIZE)  # the kernel that is being read or written

    def load(self, key: object) -> object:
        """The machine code for a key; None where there is none that is whole and can be read."""
        self._about = hashlib.sha256(repr(key).encode()).digest()
        try:
            return super().load(key)
        except OSError:
            return None

    def save(self, key: object, data: object) -> None:
        """Write the machine code for a key, with its seal."""
        self._about = hashlib.sha256(repr(key).encode()).digest()
        super().save(key, data)

    def _load_index(self) -> object:
        place = Path(self._index_path)
        if not place.exists() or self._mended(place, None):
            return {}
        return super()._load_index()

    def _load_data(self, name: str) -> object:
        place = Path(self._data_path(name))
        if self._mended(place, self._about):
            raise FileNotFoundError(place)
        return super()._load_data(name)

    @staticmethod
    def _mended(place: Path, about: bytes | None) -> bool:
        """Whether a file is damaged; it is gone then, or will be written over."""
        if is_whole(place, about):
            return False
        with suppress(OSError):
            place.unlink()
        return True

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + seal(os.path.basename(filepath), content.getvalue(), self._about))
