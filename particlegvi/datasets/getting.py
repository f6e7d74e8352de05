"""Files of data sets from the raw files of their sources: converted, verified, and kept beside those that are there."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.datasets import reading, recipes
from particlegvi.tools import files

Finder = Callable[[str], bytes | None]  # gives the content of a file by its path in the source, None if it is not there
DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError, ValueError)


def available() -> list[Facts]:
    """Every data set of the catalogue, with what is known of its file.

    Returns
    -------
    list of dict
        ``name``, ``rows``, ``task``, ``state`` (of the file: "right", "missing", or "wrong" if its sha256 is not that
        of the catalogue), ``path`` (None if it is missing), ``licence``, ``source``, ``addresses`` (of the raw files).
    """
    listed = []
    for name in sorted(reading.catalogue()["sets"]):
        entry, file = reading.entries(name)
        path = reading.find(entry["file"])
        listed.append({
            "name": name,
            "rows": entry.get("first_rows", file["rows"]) - entry.get("rows_from", 0),
            "task": entry["task"],
            "state": "missing" if path is None else _state(path, file),
            "path": None if path is None else str(path),
            "licence": file["licence"],
            "source": file["source"],
            "addresses": addresses(file),
        })  # fmt: skip
    return listed


def addresses(file: Facts) -> list[str]:
    """Where the raw files of a file of the catalogue are, or the archive that holds them."""
    packed = [file["archive"]] if "archive" in file else [part["path"] for part in file["raw"]]
    return [file["base"] + path for path in packed]


def convert(name: str, source: str | Path) -> Path:
    """Make the file of a data set from the raw files of its source, in the first folder that `load` searches.

    Parameters
    ----------
    name : str
        One of `names`.
    source : path
        The raw file as it was downloaded, or a folder or a zip archive that holds all raw files; the finished file
        will do as well. `available` gives their addresses.

    Returns
    -------
    Path
        The path of the file, which may have been there already.

    Raises
    ------
    ValueError
        If the source has other data (by the sha256 of the result), or another file of that name is in the folder.
        Nothing is written then.
    """
    return _make(name, files.place("source", source, "a file or a folder"), source)


def download(name: str) -> Path:
    """Fetch the raw files of a data set over https, and make its file as `convert` does.

    Raises
    ------
    OSError
        If an address does not answer as it should.
    ValueError
        If the raw files have other data, as in `convert`.
    """
    from particlegvi.datasets.fetching import fetch

    _, file = reading.entries(name)
    with tempfile.TemporaryDirectory() as folder:
        for address in addresses(file):
            Path(folder, address.rpartition("/")[2]).write_bytes(fetch(address))
        return _make(name, Path(folder), file["base"])


def _make(name: str, place: Path, shown: object) -> Path:
    """Write the first text with the right sha256: finished ones, and those that the recipe makes of the raw files."""
    entry, file = reading.entries(name)
    find = _finder(place, file)
    finished = [find(f"{entry['file']}{suffix}") for suffix in (".csv.gz", ".csv")]
    raw = {part["path"]: find(part["path"]) for part in file["raw"]}
    missing = " and ".join(path for path, content in raw.items() if content is None)
    rows = 0
    for content in chain(finished, () if missing else recipes.texts(file, [part or b"" for part in raw.values()])):
        if content is not None and _is_right(content, file):
            return _write(reading.folders()[0] / f"{entry['file']}.csv.gz", content)
        rows = (content or b"").count(b"\n") - 1
    if missing:
        raise ValueError(
            f'{shown} does not hold {missing}, of which the data set "{name}" is made: name the folder or the zip '
            "archive that does, or the file itself where it is one; nothing is written"
        )
    raise ValueError(
        f'{shown} is not what the data set "{name}" is made of: {rows} rows found, {file["rows"]} expected, and the '
        "sha256 of the text differs; nothing is written"
    )


def _state(path: Path, file: Facts) -> str:
    with contextlib.suppress(ValueError):  # a damaged file, or a folder of that name
        if _is_right(reading.unpacked(path), file):
            return "right"
    return "wrong"


def _is_right(content: bytes, file: Facts) -> bool:
    """Whether a text is that of a file of the catalogue."""
    return hashlib.sha256(content).hexdigest() == file["sha256"]


def _finder(place: Path, file: Facts) -> Finder:
    """A function that looks into a folder or a zip archive; for a single file, it gives that file."""
    if place.is_dir():
        archive = place / file.get("archive", "")
        return _finder(archive, file) if archive.is_file() else partial(_in_folder, place)
    with files.open_regular(place) as opened:
        if zipfile.is_zipfile(opened):
            return partial(_in_archive, place)
    content = reading.unpacked(place)
    return lambda path: content if len(file["raw"]) == 1 or path.endswith(".gz") else None


def ends(path: str) -> list[str]:
    """The ends of a path, the longest first: a user has the whole repository, or a folder of it, or the file alone."""
    parts = path.split("/")
    return ["/".join(parts[first:]) for first in range(len(parts))]


def _in_folder(folder: Path, path: str) -> bytes | None:
    place = next((folder / end for end in ends(path) if (folder / end).is_file()), None)
    return None if place is None else reading.unpacked(place)


def _in_archive(archive: Path, path: str) -> bytes | None:
    """A member of a zip archive; nothing is unpacked to the disk, so that no path of the archive is followed."""
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.namelist()
            chosen = next(
                (member for end in ends(path) for member in members if f"/{member}".endswith(f"/{end}")), None
            )
            return None if chosen is None else opened.open(chosen).read(reading.LARGEST + 1)
    except DAMAGED as error:
        raise ValueError(f"{archive} cannot be unpacked: {error}") from None


def _write(place: Path, content: bytes) -> Path:
    if os.path.lexists(place):
        if reading.unpacked(place) != content:
            raise ValueError(f"{place} exists and is another file: move it away first; nothing is written")
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    files.write(place, lambda file: file.write(gzip.compress(content, mtime=0)))  # the same bytes at any time
    return place
