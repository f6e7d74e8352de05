"""Ctrl-C, SIGTERM and a closed terminal stop a command: the first in good order, the second at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

commands: list[object] = []  # those that this process runs: they handle signals themselves
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # a closed terminal is SIGHUP; Windows has Ctrl-Break


class Stopped(KeyboardInterrupt):
    """The request to stop. It is a KeyboardInterrupt, so that code which cleans up after one cleans up here too."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def stop_signals() -> Iterator[None]:
    """Within it the first signal to stop raises `Stopped` in the main thread, as soon as Python runs there.

    A second signal ends the process at once, which harms no folder: it goes on from its last checkpoint. Signals that
    the process was told to ignore (``nohup``) stay ignored.
    """
    numbers = [number for number in signal.Signals if number.name in SIGNALS]
    received: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        if received:
            os._exit(128 + number)
        received.append(number)
        raise Stopped(number)

    handlers = {}
    if threading.current_thread() is threading.main_thread():  # only the main thread receives signals
        answered = [number for number in numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]
        handlers = {number: signal.signal(number, stop) for number in answered}
    commands.append(stop)
    try:
        yield
    finally:
        commands.remove(stop)
        for number, handler in handlers.items():
            signal.signal(number, handler)
