"""Records and draws as datasets of xarray, and trees of them.

A tree is made by xarray alone. ArviZ is never called for it: its own conversion has changed its arguments from 0.x to
1.x, and both read a tree of xarray. The attributes are on every group, because some readers lose those of the root.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.tools import files
from particlegvi.tools.errors import needed

if TYPE_CHECKING:
    import xarray

Values: TypeAlias = "NDArray[np.generic] | list[str]"
Coordinates: TypeAlias = "dict[str, tuple[tuple[str, ...], Values]]"  # dimensions and values by name
Variables: TypeAlias = Mapping[str, "tuple[tuple[str, ...], Values]"]


def dataset(variables: Variables, coordinates: Variables, attributes: Facts) -> xarray.Dataset:
    """A dataset of read-only views of the given arrays."""
    needed("a dataset", "export", "xarray")
    import xarray

    data = {name: (dims, _read_only(values)) for name, (dims, values) in variables.items()}
    along = {name: (dims, _read_only(values)) for name, (dims, values) in coordinates.items()}
    return xarray.Dataset(data, along, plain(attributes))


def of_records(
    positions: Array, steps: NDArray[np.int64], times: Array | None, names: list[str], attributes: Facts
) -> xarray.Dataset:
    """``position`` (record, particle, coordinate), with the step and the time of each record."""
    along: Coordinates = {
        "step": (("record",), np.asarray(steps)),
        "coordinate": (("coordinate",), names),
    }
    if times is not None:
        along["time"] = (("record",), times)
    return dataset({"position": (("record", "particle", "coordinate"), positions)}, along, attributes)


def tree(groups: Mapping[str, xarray.Dataset], attributes: Facts) -> xarray.DataTree:
    """A tree of groups by their paths, such as "DLE"; each has the attributes of the whole as well."""
    needed("a tree of datasets", "export", "xarray")
    import xarray

    shared = plain(attributes)
    below = {f"/{path}": group.assign_attrs({**shared, **group.attrs}) for path, group in groups.items()}
    return xarray.DataTree.from_dict({"/": xarray.Dataset(attrs=shared), **below})


def plain(attributes: Facts) -> Facts:
    """Attributes as NetCDF has them: texts, numbers and lists; a table is written as JSON, and None is left out."""
    plain_attributes: Facts = {}
    for name, value in attributes.items():
        if isinstance(value, Mapping):
            plain_attributes[name] = json.dumps(files.finite(dict(value)))
        elif isinstance(value, bool | np.bool_):
            plain_attributes[name] = int(value)
        elif value is not None:
            plain_attributes[name] = value
    return plain_attributes


def timeless(info: Facts) -> Facts:
    """The facts about a run without the time that it took, so that equal runs give equal files."""
    return {name: value for name, value in info.items() if name != "seconds"}


def _read_only(values: Values) -> Values:
    if isinstance(values, list):
        return values
    view = values.view()
    view.flags.writeable = False
    return view
