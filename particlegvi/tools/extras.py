"""Libraries that only some users need, and the sentence if one is missing."""

from __future__ import annotations

import importlib.util


class MissingLibrary(ImportError, ValueError):
    """A library of an extra is not installed; the sentence says how to get it."""


def needed(what: str, extra: str, *libraries: str) -> None:
    """Raise `MissingLibrary` unless all the libraries are there, whose imports come after this call.

    Parameters
    ----------
    what : str
        The beginning of the sentence, for example "a data frame".
    extra : str
        The extra of this package that brings them.
    *libraries : str
        The names under which they are imported.
    """
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingLibrary(f"{what} needs {' and '.join(missing)}: pip install 'particlegvi[{extra}]'")
