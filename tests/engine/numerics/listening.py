"""Hears what numba compiles."""

from contextlib import contextmanager

from numba.core import event


@contextmanager
def compilations():
    """The list of ("start" or "end", dispatcher) of what numba compiles meanwhile."""
    heard = []

    class Listener(event.Listener):
        def on_start(self, told):
            heard.append(("start", told.data["dispatcher"]))

        def on_end(self, told):
            heard.append(("end", told.data["dispatcher"]))

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        yield heard
    finally:
        event.unregister("numba:compile", listener)
