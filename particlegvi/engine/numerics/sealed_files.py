"""The files of numba's cache with a seal at their end, so that damaged or exchanged machine code is never run.

A power cut leaves files of length 0, a quota cuts them, a disk flips bits, and people copy files. The seal is the
digest of the content, of the name of the file, and of the kernel that it is for. A file whose seal is wrong is removed,
and the kernel is compiled again. numba reads its files to the end of its own content, and does not see the seal.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from numba.core.caching import IndexDataCacheFile

MARK = b"particlegvi"
SIZE = 32  # bytes of a digest


def seal(name: str, content: bytes, about: bytes) -> bytes:
    """The bytes that follow ``content`` in the file ``name``; ``about`` is the digest of the kernel that it is for."""
    return about + hashlib.sha256(b"\0".join((name.encode(), about, content))).digest() + MARK


def is_whole(place: Path, about: bytes | None = None) -> bool:
    """Whether a file has the right seal, and is for the kernel ``about``, where that is given.

    Raises
    ------
    OSError
        If it cannot be read, which is no damage.
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
