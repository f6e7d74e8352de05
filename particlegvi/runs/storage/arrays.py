"""Arrays on the disk: .npy without pickle, read only after the header was checked against the file."""

from __future__ import annotations

import errno
import math
import os
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi.tools.files import Unreadable, open_regular, write

MAGIC = b"\x93NUMPY\x01\x00"
# What numpy writes for plain numbers, and nothing else that it would read.
HEADER = re.compile(rb"\{'descr': '(<f8|<i8)', 'fortran_order': False, 'shape': \(([0-9, ]{1,100})\), \} *\n")
LONGEST_HEADER = 1000


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array, in C order."""
    whole = np.ascontiguousarray(array)
    write(path, lambda file: np.lib.format.write_array(file, whole, version=(1, 0), allow_pickle=False))


def read_array(path: Path, dtype: type[np.generic], dims: int | None = None, rows: int | None = None) -> NDArray[Any]:
    """Read an array whose header must promise ``dtype``, the size of the file, and ``dims`` dimensions.

    With ``rows`` it is a file that still grows: the first ``rows`` rows of what its header promises.

    Raises
    ------
    ValueError
        If the file is not there, is no .npy file, holds something else, or is cut short; `Unreadable` where it may be
        whole.
    """
    with open_regular(path, links=False) as file:
        try:
            start = file.read(len(MAGIC) + 2)
            if len(start) < len(MAGIC) + 2 or not start.startswith(MAGIC):
                raise ValueError("it does not begin as one")
            length = struct.unpack("<H", start[len(MAGIC) :])[0]
            header = HEADER.fullmatch(file.read(min(length, LONGEST_HEADER)))
            if header is None:
                raise ValueError("its header is damaged, or it does not hold plain numbers")
            shape = tuple(int(number) for number in header[2].split(b",") if number.strip())
            found = np.dtype(header[1].decode("ascii"))
            if found != np.dtype(dtype) or dims not in (None, len(shape)):
                raise ValueError(f"it holds {found} in {len(shape)} dimensions, not {np.dtype(dtype)} in {dims}")
            there = os.fstat(file.fileno()).st_size - file.tell()
            if rows is not None:
                shape = (min(rows, shape[0]), *shape[1:])
                there = min(there, math.prod(shape) * found.itemsize)
            count = math.prod(shape)
            if count * found.itemsize != there:
                raise ValueError(f"it is not as long as its shape {shape} needs")
            array = np.fromfile(file, dtype=found, count=count)
            if len(array) < count:  # numpy keeps quiet about a read that failed; the length was checked
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return array.reshape(shape)
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"{path} is not an array that a run has written: {error}") from None
