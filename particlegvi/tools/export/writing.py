"""Files of results for other tools: the suffix gives the form, and no file is overwritten unless asked for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from particlegvi.tools import arguments, files
from particlegvi.tools.errors import needed
from particlegvi.tools.export.columns import Columns, write_csv
from particlegvi.tools.quoting import refuse, shown

if TYPE_CHECKING:
    import numpy as np
    import xarray
    from numpy.typing import NDArray

Arrays: TypeAlias = "dict[str, NDArray[np.generic]]"  # by name
SUFFIXES = (".nc", ".csv", ".npz", ".tex")
LIBRARIES = {".nc": ("xarray", "h5netcdf", "h5py")}


def destination(
    path: str | os.PathLike[str], overwrite: bool, suffixes: tuple[str, ...] = SUFFIXES, key: str = "path"
) -> Path:
    """The place of a new file, if it can be written: before anything is computed."""
    arguments.flag("overwrite", overwrite)
    place = files.place(key, path, "a file")
    allowed = " or ".join(filter(None, [", ".join(suffixes[:-1]), suffixes[-1]]))
    if place.suffix not in suffixes:
        raise refuse(key, str(path), f"a file that ends in {allowed}")
    needed(f"a file {place.suffix}", "export", *LIBRARIES.get(place.suffix, ()))
    if not place.parent.is_dir():
        raise ValueError(f"{key} must be in a folder that exists, not in {shown(str(place.parent))}")
    if os.path.lexists(place) and (not overwrite or not place.is_file()):
        remedy = "; choose another name, or say --overwrite (overwrite=True)" if place.is_file() else ""
        raise ValueError(f"{place} exists already{remedy}")
    return place


def write_netcdf(place: Path, data: xarray.Dataset | xarray.DataTree) -> None:
    """Write a dataset or a tree of them as NetCDF, whole or not at all."""
    _whole(place, lambda path: data.to_netcdf(path, engine="h5netcdf"))


def write_table(place: Path, columns: Columns) -> None:
    """Write a table as CSV, whole or not at all."""
    files.write(place, lambda file: write_csv(columns, file))


def write(
    place: Path,
    data: Callable[[], xarray.Dataset | xarray.DataTree],
    arrays: Callable[[], Arrays],
    columns: Callable[[], Columns],
    text: Callable[[], str],
) -> Path:
    """Write the form that the suffix of a `destination` names, whole or not at all.

    A ValueError where the system does not.
    """
    try:
        if place.suffix == ".nc":
            write_netcdf(place, data())
        elif place.suffix == ".csv":
            write_table(place, columns())
        elif place.suffix == ".tex":
            files.write_text(place, text())
        else:
            import numpy as np

            save: Callable[..., None] = np.savez
            _whole(place, lambda path: save(path, **arrays()))
    except OSError as error:
        raise ValueError(f"{place} cannot be written: {error.strerror or error}") from None
    return place


def _whole(place: Path, fill: Callable[[Path], object]) -> None:
    """Write a file under a temporary name of the same suffix, for libraries that open files by name; then rename it."""
    temporary = place.with_name(f".{place.stem}.{secrets.token_hex(8)}{place.suffix}")
    try:
        fill(temporary)
        os.replace(temporary, place)
    finally:
        temporary.unlink(missing_ok=True)
