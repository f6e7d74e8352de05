"""One file of a manifest and arrays: a .npz archive of numpy without compression and without pickle.

The manifest is a tree of tables, lists, texts and numbers, in which arrays may stand anywhere; `read` gives the same
tree. Its text is the member ``manifest.json``, and each array of float64 or int64 a member of its own. A file is
believed only after its sizes were checked: no member is compressed, and together they are no longer than the file.
"""

from __future__ import annotations

import io
import math
import os
import re
import struct
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Facts
from particlegvi.tools import files, memory

MAGIC = b"\x93NUMPY\x01\x00"
# The headers that numpy writes for plain numbers; others, which numpy could read, are refused.
HEADER = re.compile(rb"\{'descr': '(<f8|<i8)', 'fortran_order': False, 'shape': \(([0-9, ]{1,100})\), \} *\n")
LONGEST_HEADER = 1000
MANIFEST = "manifest.json"
MOST_MEMBERS = 10_000
ENTRY, BLOCK = b"PK\x01\x02", 2**22  # the start of an entry of the directory, and bytes that are read at once
MOST_LETTERS = 10**7  # of all texts of an array, as long as the longest
ARRAY, VALUES, NUMBER = "$array", "$values", "$number"  # the keys of tables that stand for what JSON does not have
BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, struct.error)  # what zipfile raises


def read_header(file: IO[bytes]) -> tuple[np.dtype[np.generic], tuple[int, ...]]:
    """The type and the shape that the header of a .npy file promises; a ValueError if it holds no plain numbers."""
    start = file.read(len(MAGIC) + 2)
    if len(start) < len(MAGIC) + 2 or not start.startswith(MAGIC):
        raise ValueError("it does not begin as one")
    length = struct.unpack("<H", start[len(MAGIC) :])[0]
    header = HEADER.fullmatch(file.read(min(length, LONGEST_HEADER)))
    if header is None:
        raise ValueError("its header is damaged, or it does not hold plain numbers")
    return np.dtype(header[1].decode("ascii")), tuple(int(size) for size in header[2].split(b",") if size.strip())


def write(path: Path, manifest: Facts) -> None:
    """Write a file, whole or not at all; the same manifest gives the same bytes.

    A TypeError if the manifest holds an object that is none of the above, with the keys under which it is.
    """
    arrays: list[NDArray[np.generic]] = []
    text = files.json_text(_written(manifest, arrays, ""))

    def fill(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(MANIFEST), text)
            for number, array in enumerate(arrays):
                member = io.BytesIO()
                np.lib.format.write_array(member, np.ascontiguousarray(array), (1, 0), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(_name(number)), member.getvalue())

    files.write(path, fill)


def read(path: str | os.PathLike[str], format: str) -> Facts:
    """The manifest of a file, whose entry ``format`` must be this one.

    A ValueError if the file is not there, is damaged or of another kind, or does not fit into memory.
    """
    with files.open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        memory.check(f"{path} has {size} bytes, which", 2 * size, "load it on a larger machine")
        try:
            # zipfile makes an object for each entry of its directory, which needs ten times the room of the entry
            if sum(block.count(ENTRY) for block in iter(lambda: file.read(BLOCK), b"")) > MOST_MEMBERS:
                raise ValueError("it has compressed members, or too many")
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                sizes = sum(member.file_size for member in members)
                if len(members) > MOST_MEMBERS or sizes > size or any(member.compress_type for member in members):
                    raise ValueError("it has compressed members, or too many")
                if MANIFEST not in archive.namelist():
                    raise ValueError(f"it has no {MANIFEST}")
                text = archive.read(MANIFEST)[: files.LARGEST_TEXT].decode("utf-8")
                manifest = files.parsed(text, path)
                if manifest.get("format") != format:
                    raise ValueError(f"it is not a file of {format}")
                taken: set[int] = set()
                return {key: _read(member, archive, taken) for key, member in manifest.items()}
        except OSError as error:
            raise files.Unreadable(f"{path} cannot be read: {error.strerror}") from None
        except (*BROKEN, KeyError, TypeError, ValueError, RecursionError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{path} cannot be read as a {format}: {why}") from None


def _name(number: int) -> str:
    return f"array_{number}.npy"


def _written(value: object, arrays: list[NDArray[np.generic]], at: str) -> object:
    """A value as JSON holds it; arrays are added to ``arrays``. ``at`` are the keys under which it is."""
    if isinstance(value, dict):
        return {key: _written(entry, arrays, f"{at}.{key}".strip(".")) for key, entry in value.items()}
    if isinstance(value, list):
        return [_written(entry, arrays, at) for entry in value]
    if isinstance(value, np.ndarray):
        if value.dtype not in (np.float64, np.int64) or value.ndim == 0:
            if value.dtype.kind not in "fiubU":
                raise TypeError(at)
            items = [_written(entry, arrays, at) for entry in value.ravel().tolist()]
            return {VALUES: items, "type": value.dtype.str, "shape": list(value.shape)}
        arrays.append(value)
        # The last bits of products depend on the order in memory.
        return {ARRAY: len(arrays) - 1, "columns_first": bool(value.flags.f_contiguous and value.ndim > 1)}
    if isinstance(value, float) and not math.isfinite(value):
        return {NUMBER: str(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(at)


def _read(value: object, archive: zipfile.ZipFile, taken: set[int]) -> object:
    """The value of a part of the manifest. An array that was taken already is refused: each has memory once."""
    if isinstance(value, list):
        return [_read(entry, archive, taken) for entry in value]
    if not isinstance(value, dict):
        return value
    if NUMBER in value:
        return float(value[NUMBER])
    if VALUES in value:
        items = _read(value[VALUES], archive, taken)
        return np.array(items, dtype=_plain(value["type"], len(value[VALUES]))).reshape(value["shape"])
    if ARRAY not in value:
        return {key: _read(entry, archive, taken) for key, entry in value.items()}
    number = int(value[ARRAY])
    if number in taken:
        raise ValueError("an array is in two places")
    taken.add(number)
    content = archive.read(_name(number))
    start = io.BytesIO(content)
    dtype, shape = read_header(start)
    if len(content) - start.tell() != math.prod(shape) * dtype.itemsize:
        raise ValueError("an array is not as long as its shape needs")
    array = np.frombuffer(content, dtype, offset=start.tell()).reshape(shape)
    return array.copy("F" if value["columns_first"] else "C")


def _plain(name: str, count: int) -> str:
    """The type of an array of so many numbers or texts in the manifest."""
    match = re.fullmatch(r"[<>|=](?:[fiub][1-8]|U([0-9]{1,4}))", name)
    if match is None or int(match[1] or 0) * count > MOST_LETTERS:
        raise ValueError("an array does not hold plain numbers or texts")
    return name
