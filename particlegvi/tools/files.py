"""Files that are read within limits, and written so that they are there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from particlegvi.contracts import Facts
from particlegvi.tools.errors import FolderLost
from particlegvi.tools.quoting import refuse, shown

LARGEST_TEXT = 50_000_000  # bytes; far above any manifest or summary, far below what would hurt
# The limits of a JSON file. Three bytes of text become 64 of memory for a table, and two become 32 for a number.
MOST_TABLES, MOST_VALUES = 1_000_000, 10_000_000
NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


class Unreadable(ValueError):
    """A file exists but could not be read now (too many open files, a slow disk): it may be whole."""


@contextlib.contextmanager
def ignoring_damage() -> Iterator[None]:
    """Suppress the ValueError of a file that is missing or damaged, but not `Unreadable`."""
    try:
        yield
    except Unreadable:
        raise
    except ValueError:
        pass


def place(key: str, path: Any, kind: str = "a folder") -> Path:
    """The path of ``kind`` from a user as a Path; a ValueError for an empty path, and for any other value."""
    if isinstance(path, str | os.PathLike):
        text = os.fspath(path)
        if isinstance(text, str) and 0 < len(text) < 4096 and "\0" not in text and encodable(text):
            if not os.path.isabs(text) and not _has_folder():
                raise refuse(key, path, "a full path, as the current folder has been removed")
            return Path(text)
    raise refuse(key, path, f"the path of {kind}")


def _has_folder() -> bool:
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def encodable(text: str) -> bool:
    """Whether a text can be the name of a file here."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def open_regular(path: str | os.PathLike[str], links: bool = True) -> BufferedReader:
    """Open a regular file for reading. A pipe or a device is refused, because reading one could wait for ever.

    With ``links=False`` a symbolic link is refused, too: it could lead out of the folder.

    A ValueError if there is no such file, or it cannot be read (`Unreadable` if it exists).
    """
    # Without O_NONBLOCK, opening a pipe waits until a process writes into it.
    more = getattr(os, "O_NONBLOCK", 0) | (0 if links else getattr(os, "O_NOFOLLOW", 0))
    try:
        file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | more))  # noqa: SIM115
    except OSError as error:
        if not links and os.path.islink(path):
            raise ValueError(f"{path} is a link, which is not followed") from None
        kind = ValueError if error.errno in NOT_THERE else Unreadable
        raise kind(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a NUL in the name
        raise ValueError(f"{str(path)!r} cannot be read: {error}") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{path} is not a file")
    return file


def read_text(path: str | os.PathLike[str], largest: int = LARGEST_TEXT, links: bool = True) -> str:
    """The content of a text file of at most ``largest`` bytes; else a ValueError that names the file."""
    with open_regular(path, links) as file:
        try:
            content = file.read(largest + 1)
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > largest:
        raise ValueError(f"{path} has more than {largest} bytes, too many for what it should be")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text in UTF-8: byte {error.start} is wrong") from None


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The object in a JSON file, which must not be a link; else a ValueError that names the file."""
    return parsed(read_text(path, links=False), path)


def has_format(path: str | os.PathLike[str], word: str) -> bool:
    """Whether a JSON file has this word as its ``format``."""
    try:
        return read_json(path).get("format") == word
    except ValueError:
        return False


def parsed(text: str, path: str | os.PathLike[str]) -> Facts:
    """The object in a JSON text that comes from a file; else a ValueError that names the file."""
    if text.count("{") + text.count("[") > MOST_TABLES or text.count(",") > MOST_VALUES:
        raise ValueError(f"{path} has more than {MOST_TABLES:,} tables or {MOST_VALUES:,} values, too many to be read")
    try:
        content = json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_table)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(content).__name__}")
    return content


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{shown(digits)} is too large")
    return number


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys_read: set[str] = set()
        twice = next(name for name, _ in pairs if name in keys_read or keys_read.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {shown(twice)} is there twice")
    return table


def write(path: Path, fill: Callable[[IO[bytes]], Any], flush: bool = True) -> None:
    """Write a file under a temporary name in the folder of ``path``, flush it to the disk, and rename it.

    Without ``flush`` the file is whole if the process is killed, but may be damaged if the machine loses power.

    A reader of ``path`` finds the old content or the new one, at any time. An OSError (a full disk, a folder
    that is gone or held by another process) passes through and leaves the old content.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        with open(temporary, "xb") as file:  # the mode x: never through a link of that name
            fill(file)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
        if flush:
            flush_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_no_link(folder: Path) -> None:
    """Raise `FolderLost` where a link is in the place of a folder, because it leads to files of others."""
    if folder.is_symlink():
        raise FolderLost(
            errno.ESTALE, f"{folder} was replaced by a link, through which nothing is written; put the folder back in"
            " its place, and resume",
        )  # fmt: skip


def remove(path: Path) -> None:
    """Remove a file if it is there."""
    path.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the files that a process left when it was killed inside `write`; no other process may be writing there."""
    for place in folder.glob(".*.*.tmp"):
        if place.name.split(".")[-2].isdecimal():
            remove(place)


def flush_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system can."""
    with contextlib.suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def digest(path: Path) -> str:
    """The sha256 of a file; a ValueError that names the file if it cannot be read."""
    with open_regular(path, links=False) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}") from None


def write_text(path: Path, text: str, flush: bool = True) -> None:
    """`write` a text in UTF-8."""
    write(path, lambda file: file.write(text.encode("utf-8")), flush)


def write_json(path: Path, content: Any) -> None:
    """`write_text` of `json_text`."""
    write_text(path, json_text(content))


def json_text(content: Any) -> str:
    """Strict JSON: a number that is not finite is an error, and not NaN in the file."""
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def finite(content: Any) -> Any:
    """The content with numpy's numbers as Python's, and None for numbers that are not finite, as JSON has neither."""
    if isinstance(content, dict):
        return {str(name): finite(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    if type(content).__module__ == "numpy":
        return finite(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
