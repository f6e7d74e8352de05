"""Errors of the parts of a scenario, with the key of the part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from particlegvi.datasets import MissingData


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Put the key before the sentence of a part about its parameters."""
    try:
        yield
    except MissingData as error:
        raise MissingData(f"{key}: {error}") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{key}: {error}") from None
