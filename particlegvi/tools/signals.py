"""Ctrl-C, SIGTERM and a closed terminal stop a command within a second: the first in good order, the second at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from io import RawIOBase
from types import FrameType
from typing import Any

from particlegvi.tools import system

PATIENCE = 0.7  # seconds that compiled code may keep Python from handling a signal
GRACE = 5.0  # seconds from the signal to the end of the process: a checkpoint takes a small part of one second


def wakeup_ends() -> tuple[RawIOBase, RawIOBase]:
    """A pipe to which Python writes the number of each signal: the end to read, and the end to write without waiting.

    On Windows signals wake only sockets: there it is a pair of sockets.
    """
    if not system.WINDOWS:
        first, second = os.pipe()
        os.set_blocking(second, False)
        return open(first, "rb", buffering=0), open(second, "wb", buffering=0)
    import socket

    ends = socket.socketpair()
    ends[1].setblocking(False)
    reader, writer = ends[0].makefile("rb", buffering=0), ends[1].makefile("wb", buffering=0)
    for end in ends:
        end.close()  # as soon as its file is closed
    return reader, writer


class Stopped(KeyboardInterrupt):
    """The request to stop. It is a KeyboardInterrupt, so that code which cleans up after one cleans up here too."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class StopSignals:
    """A context in which a signal to stop the process raises `Stopped` in the main thread.

    The process ends at once, which harms no folder (it goes on from its last checkpoint), in three cases: at a second
    signal; if compiled code or the compiler keeps the main thread from handling the first in time; and if `Stopped` is
    lost, because Python drops exceptions in a finaliser or in a callback from C.
    Signals that the process was told to ignore (``nohup``) stay ignored.
    """

    SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # a closed terminal is SIGHUP; Windows has Ctrl-Break

    def __init__(self) -> None:
        self.last_words = ""  # printed if the process ends at once: how to go on

    def __enter__(self) -> StopSignals:
        _entered.append(self)
        self._before: dict[int, Any] = {}
        self._handled = threading.Event()
        self._left = threading.Event()
        self._ends: tuple[RawIOBase, RawIOBase] | None = None
        if threading.current_thread() is not threading.main_thread():
            return self  # only the main thread receives signals
        for name in self.SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._stop)
        reader, writer = self._ends = wakeup_ends()
        self._wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        _entered.remove(self)
        self._left.set()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._ends is not None:
            signal.set_wakeup_fd(self._wakeup)
            self._ends[1].close()  # ends the watching thread, which closes the other end
            self._ends = None

    def _stop(self, number: int, _: FrameType | None) -> None:
        if self._handled.is_set():
            os._exit(128 + number)
        self._handled.set()
        raise Stopped(number)

    def _watch(self, reader: RawIOBase) -> None:
        # Python writes the number of each signal to the pipe as it arrives, also while the main thread is busy.
        while number := reader.read(1):
            if number[0] in self._before and not (self._handled.wait(PATIENCE) and self._left.wait(GRACE)):
                text = f"particlegvi: interrupted between two checkpoints{self.last_words}"
                print(text, file=sys.stderr, flush=True)
                os._exit(128 + number[0])
        reader.close()


_entered: list[StopSignals] = []


def in_command() -> bool:
    """Whether this process runs a command, which handles signals itself (`StopSignals`)."""
    return bool(_entered)


def say_last(text: str) -> None:
    """Set the text that `StopSignals` prints if a signal ends the process at once; "" for nothing."""
    for entered in _entered:
        entered.last_words = text
