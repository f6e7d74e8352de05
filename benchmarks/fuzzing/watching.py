"""Watch the process while it answers an input, and count the outcomes of all inputs."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import particlegvi

ROOT = Path(__file__).resolve().parent.parent.parent
# the scenarios of a clone, and those of an installed package
SCENARIOS = (str(ROOT / "scenarios"), str(Path(particlegvi.__file__).parent / "scenario" / "files"))
SLOWEST_ALLOWED = 1.0  # seconds
LONGEST_ANSWER = 1200  # characters, the path of the file included
FORBIDDEN = re.compile(
    r"open|compile|exec|import|pickle|marshal|socket|subprocess|shutil|tempfile|ctypes|code\.__new__|pty|urllib|glob$"
    r"|os\.(?!listdir|scandir|walk|putenv)"
)


class Watch:
    """Sees everything the interpreter does while an input is answered (an audit hook, which stays for good)."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.active = False
        self.seen: list[str] = []
        sys.addaudithook(self._event)

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active or not FORBIDDEN.match(event):
            return
        if event == "open":
            path, mode, flags = arguments
            writes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
            # a summary that must be made anew names versions, and asks threadpoolctl for the libraries of this process
            machine = ("/proc/meminfo", "/sys/fs/cgroup/", "/proc/self/maps")
            inside = str(path).startswith((self.folder, *SCENARIOS, *machine))
            if (inside or str(path).endswith(".dist-info/METADATA")) and not writes:
                return
        # inspect.signature parses the empty signature of a class without __init__ as this constant of its own
        if event == "compile" and arguments[0] == b"def foo(): pass":
            return
        self.seen.append(f"{event} {arguments!r}"[:200])

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        self.active = True
        try:
            yield
        finally:
            self.active = False


class Blind(Watch):
    """Watches nothing."""

    def __init__(self) -> None: ...

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        yield


class Tally:
    """The outcomes of the inputs of one target."""

    def __init__(self) -> None:
        self.inputs = self.accepted = self.refused = 0
        self.slowest, self.slowest_input = 0.0, b""
        self.wrong: list[dict[str, str]] = []

    def feed(self, answer: Callable[[bytes, Watch], Any], data: bytes, watch: Watch) -> str:
        """Feed one input; a word for the way in which it was answered."""
        before = len(watch.seen)
        begun = time.perf_counter()
        try:
            answer(data, watch)
            way = "accepted"
            self.accepted += 1
        except ValueError as error:
            way = str(error)
            self.refused += 1
            said = way.partition("; the smallest file is:")[0]  # a file that would do has a line for each key
            if type(error) is UnicodeEncodeError or not way or said.count("\n") > 2 or len(said) > LONGEST_ANSWER:
                self.note("answer", data, f"{type(error).__name__}: {way[:300]}")
        except Exception as error:
            way = type(error).__name__
            self.note("error", data, f"{way}: {error}")
        seconds = time.perf_counter() - begun
        self.inputs += 1
        if seconds > self.slowest:
            self.slowest, self.slowest_input = seconds, data
        if seconds > SLOWEST_ALLOWED:
            self.note("slow", data, f"{seconds:.2f} s")
        if len(watch.seen) > before:
            self.note("touched", data, watch.seen[-1])
        return re.sub(r"\d+|\"[^\"]*\"|'[^']*'|/\S+|\n.*", "", way)[:120]

    def note(self, kind: str, data: bytes, what: str) -> None:
        if len(self.wrong) < 200:
            self.wrong.append({"kind": kind, "what": what[:400], "input": data[:400].decode("latin-1")})

    def report(self, engine: str) -> dict[str, Any]:
        return {
            "engine": engine,
            "inputs": self.inputs,
            "accepted": self.accepted,
            "refused": self.refused,
            "slowest_seconds": round(self.slowest, 4),
            "slowest_input": self.slowest_input[:200].decode("latin-1"),
            "wrong": self.wrong,
        }
