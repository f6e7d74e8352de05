"""Processes that a test looks for in /proc, and waiting until something is so."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


class Process(NamedTuple):
    pid: int
    parent: int
    session: int  # the process that leads its session
    command: str


def every() -> Iterator[Process]:
    """The processes of this machine that are no zombies."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, _, session = status.read_text().rpartition(")")[2].split()[:4]
            if state != "Z":
                command = (status.parent / "cmdline").read_text()
                yield Process(int(status.parent.name), int(parent), int(session), command)


def running(pids: list[int]) -> list[int]:
    return [each.pid for each in every() if each.pid in pids]


def wait_until(condition: Callable[[], Any], within: float = 60.0) -> Any:
    """The first answer that is true, or the last one after so many seconds: a busy machine takes some for a process."""
    deadline = time.monotonic() + within
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
