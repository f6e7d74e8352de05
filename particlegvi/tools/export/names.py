"""Names for groups and columns: the user's names where a file can hold them, and never two alike."""

from __future__ import annotations

from collections.abc import Iterable


def unique(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Each name, followed by underscores until it differs from the names before it and from those taken."""
    used = set(taken)
    found = []
    for name in wanted:
        while name in used:
            name += "_"
        used.add(name)
        found.append(name)
    return found


def groups(labels: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """By label a name that a group of a NetCDF file can have: without a slash, and not made of dots alone."""
    given = list(labels)
    plain = [label.replace("/", "_").strip() for label in given]
    return dict(zip(given, unique((name if name.strip(".") else f"run{name}_" for name in plain), taken), strict=True))
