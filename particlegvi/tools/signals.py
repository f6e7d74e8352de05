"""Ctrl-C, SIGTERM and a closed terminal, answered within a second: once in good order, twice at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from io import RawIOBase
from types import FrameType
from typing import Any

from particlegvi.tools import system

PATIENCE = 0.7  # seconds that compiled code may keep Python from answering
GRACE = 5.0  # seconds from the answer to the end: for a checkpoint, which takes a small part of one


def wakeup_ends() -> tuple[RawIOBase, RawIOBase]:
    """The end that is read and the end that Python writes the numbers of signals to, without waiting.

    A pipe; on Windows, where signals wake only sockets, a pair of these.
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
    """The request to stop. Code that cleans up after KeyboardInterrupt cleans up after this as well."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Answered:
    """Context in which the signals that ask a process to stop raise `Stopped` in the main thread.

    A second signal ends the process at once, which harms no folder. So does the first if Python cannot answer it in
    time because compiled code (or the compiler) has the main thread, and if the answer leads nowhere, because it fell
    into one of the places where Python drops exceptions (a finaliser, a callback from C): a folder can go on from its
    last checkpoint then.
    Signals that the process was told to ignore (``nohup``) stay ignored.
    """

    SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # a closed terminal is SIGHUP; Windows has Ctrl-Break

    def __init__(self) -> None:
        self.last_words = ""  # said where there is no time to say more: how to go on

    def __enter__(self) -> Answered:
        _entered.append(self)
        self._before: dict[int, Any] = {}
        self._answered = threading.Event()
        self._left = threading.Event()
        self._ends: tuple[RawIOBase, RawIOBase] | None = None
        if threading.current_thread() is not threading.main_thread():
            return self  # only the main thread receives signals
        for name in self.SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._answer)
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

    def _answer(self, number: int, _: FrameType | None) -> None:
        if self._answered.is_set():
            os._exit(128 + number)
        self._answered.set()
        raise Stopped(number)

    def _watch(self, reader: RawIOBase) -> None:
        # Python writes the number of each signal here as it arrives, also while the main thread is busy.
        while number := reader.read(1):
            if number[0] in self._before and not (self._answered.wait(PATIENCE) and self._left.wait(GRACE)):
                text = f"particlegvi: interrupted between two checkpoints{self.last_words}"
                print(text, file=sys.stderr, flush=True)
                os._exit(128 + number[0])
        reader.close()


_entered: list[Answered] = []


def answered() -> bool:
    """Whether this is a command, whose signals an `Answered` takes."""
    return bool(_entered)


def say_last(text: str) -> None:
    """Set what the `Answered` around this code says if a signal ends the process without an answer; "" for nothing."""
    for answered in _entered:
        answered.last_words = text
