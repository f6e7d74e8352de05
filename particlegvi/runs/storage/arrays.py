"""Arrays on the disk: .npy without pickle, read only after the header was checked against the file.

A `RecordFile` grows record by record, knows its sha256 at every length, and can be taken up again.
"""

from __future__ import annotations

import errno
import hashlib
import io
import math
import os
import re
import stat
import struct
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.tools import files, machine
from particlegvi.tools.errors import FolderLost
from particlegvi.tools.files import Unreadable, open_regular, write

BLOCK = 2**22  # bytes read at once
MAGIC = b"\x93NUMPY\x01\x00"
# The headers that numpy writes for plain numbers and texts; its own reader would evaluate others.
HEADER = re.compile(
    rb"\{'descr': '(\|[bu]1|<[iuf][48]|<U[0-9]{1,4})', 'fortran_order': (True|False), "
    rb"'shape': \(([0-9, ]{0,100})\), \} *\n"
)
LONGEST_HEADER = 1000


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array, in C order."""
    whole = np.ascontiguousarray(array)
    write(path, lambda file: np.lib.format.write_array(file, whole, version=(1, 0), allow_pickle=False))


def as_file(array: NDArray[np.float64]) -> bytes:
    """The content of the file of an array."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


class Header(NamedTuple):
    """The content of a .npy file, as its header promises it."""

    dtype: np.dtype[np.generic]
    in_fortran_order: bool
    shape: tuple[int, ...]

    @property
    def length(self) -> int:
        """The number of bytes after the header."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes]) -> Header:
    """The header of a .npy file; a ValueError if it holds no plain numbers or texts."""
    start = file.read(len(MAGIC) + 2)
    if len(start) < len(MAGIC) + 2 or not start.startswith(MAGIC):
        raise ValueError("it does not begin as one")
    length = struct.unpack("<H", start[len(MAGIC) :])[0]
    header = HEADER.fullmatch(file.read(min(length, LONGEST_HEADER)))
    if header is None:
        raise ValueError("its header is damaged, or it does not hold plain numbers")
    shape = tuple(int(size) for size in header[3].split(b",") if size.strip())
    return Header(np.dtype(header[1].decode("ascii")), header[2] == b"True", shape)


def read_array(path: Path, dtype: type[np.generic], dims: int | None = None, rows: int | None = None) -> NDArray[Any]:
    """Read an array whose header must promise ``dtype``, the size of the file, and ``dims`` dimensions.

    With ``rows`` it is a file that still grows: the first ``rows`` rows of what its header promises. An array that does
    not fit into memory is refused before it is read: a file with holes takes less room on the disk.

    A ValueError if the file is not there, is no .npy file, holds something else, or is cut short; `Unreadable` where it
    may be whole.
    """
    with open_regular(path, links=False) as file:
        try:
            header = read_header(file)
            shape = header.shape
            if header.dtype != np.dtype(dtype) or header.in_fortran_order or len(shape) != (dims or len(shape) or 1):
                raise ValueError(f"it holds {header.dtype} in {len(shape)} dimensions, not {np.dtype(dtype)} in {dims}")
            length = os.fstat(file.fileno()).st_size - file.tell()
            if rows is not None:
                header = header._replace(shape=(min(rows, shape[0]), *shape[1:]))
                length = min(length, header.length)
            if header.length != length:
                raise ValueError(f"it is not as long as its shape {header.shape} needs")
            machine.check(f"its shape {header.shape}", length, "load it on a larger machine")
            array = np.fromfile(file, dtype=header.dtype, count=math.prod(header.shape))
            if array.nbytes < length:  # numpy keeps quiet about a read that failed; the length was checked
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return array.reshape(header.shape)
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"{path} is not an array that a run has written: {error}") from None


class RecordFile:
    """A .npy file of float64 that promises its final shape from the start and is filled record by record.

    With ``digest`` it takes up a file that holds at least ``keep`` records and has this sha256 up to there; what comes
    after is cut. A ValueError if that file is damaged. ``shape`` is that of one record.
    """

    def __init__(self, path: Path, records: int, shape: tuple[int, ...], keep: int = 0, digest: str = "") -> None:
        self.path = path
        self.shape = shape
        self._header = _header((records, *shape))
        self._size = 8 * int(np.prod(shape))
        # No write goes through a link, which could lead out of the folder: a new file takes the place of an old one.
        if not digest:
            files.remove(path)
        if path.is_symlink():
            raise ValueError(f"{path} is a link, through which nothing is written")
        more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe could keep us waiting for ever
        self._file = open(  # noqa: SIM115
            path, "r+b" if digest else "x+b", 0, opener=lambda name, flags: os.open(name, flags | more, 0o666)
        )
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            self._file.close()
            raise ValueError(f"{path} is not a file, or a hard link, through which nothing is written")
        if digest:
            hashed = self._hash(keep)
            if hashed.hexdigest() != digest:
                self._file.close()
                raise ValueError(f"{path} is damaged: its first {keep} records are not what was written")
            self._ends = {keep: hashed}
        else:
            self._file.write(self._header)
            self._ends = {0: hashlib.sha256(self._header)}

    @property
    def count(self) -> int:
        """Records written."""
        return max(self._ends)

    def append(self, record: NDArray[np.float64]) -> None:
        """Add a record. An interruption leaves the array as long as it was."""
        count = self.count
        content = np.ascontiguousarray(record, dtype=np.float64).data.cast("B")
        digest = self._ends[count].copy()
        digest.update(content)
        self._file.seek(self._end(count))
        while content:
            content = content[self._file.write(content) or 0 :]
        # the end before stays known: a snapshot may have been taken there
        self._ends = {count: self._ends[count], count + 1: digest}

    def digest(self, count: int) -> str:
        """The sha256 of the file up to the end of its first ``count`` records, one of the last two lengths."""
        return self._ends[count].hexdigest()

    def flush(self) -> None:
        """Wait until all of it is on the disk."""
        os.fsync(self._file.fileno())

    def records(self) -> NDArray[np.float64]:
        """The records written, (count, ...), mapped and not copied: of the open file, whatever is at its path now."""
        shape = (self.count, *self.shape)
        return np.memmap(self._file, dtype=np.float64, mode="r", offset=len(self._header), shape=shape)

    def check_place(self) -> None:
        """Raise `FolderLost` where another file, or none, is at the path now."""
        try:
            same = os.path.samestat(os.lstat(self.path), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            same = False
        if not same:
            raise FolderLost(
                errno.ESTALE, f"{self.path} was moved, removed or replaced while this process wrote it; resume the run,"
                " which goes on from what is left",
            )  # fmt: skip

    def finish(self, path: Path) -> str:
        """Give the full array its name; its sha256. `FolderLost` where its file is not at its path any more."""
        self.check_place()
        self._file.truncate(self._end(self.count))
        self.flush()
        self._file.close()
        os.replace(self.path, path)
        return self.digest(self.count)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _end(self, count: int) -> int:
        return len(self._header) + count * self._size

    def _hash(self, count: int) -> hashlib._Hash:
        hashed = hashlib.sha256()
        left = self._end(count)
        while left > 0:
            block = self._file.read(min(left, BLOCK))
            if not block:
                break
            hashed.update(block)
            left -= len(block)
        return hashed


def _header(shape: tuple[int, ...]) -> bytes:
    """The header that `numpy.save` writes before an array of float64 of this shape."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return header.getvalue()
