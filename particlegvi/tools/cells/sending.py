"""Sending to other processes the modules in which this process has registered parts from outside."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from particlegvi.tools import plugins

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Sent(Generic[Task, Result]):
    """A function that first imports the modules of these parts, in any process; each has its file."""

    function: Callable[[Task], Result]
    modules: tuple[tuple[plugins.Origin, str], ...]
    left: tuple[plugins.Origin, ...]  # the parts that cannot be sent

    def __call__(self, task: Task) -> Result:
        for origin, file in self.modules:
            if file:
                plugins.load_file(file)
            else:
                importlib.import_module(origin.module)
        for origin in self.left:
            plugins.refuse_later(origin.kind, origin.name, _remedy(origin.name, origin.module))
        return self.function(task)


def sent(function: Callable[[Task], Result]) -> Callable[[Task], Result]:
    """The function as other processes can run it: itself, where no part is registered."""
    parts = plugins.registered()
    if not parts:
        return function
    good = [part for part in parts if _is_importable(part.module)]
    modules = [(part, plugins.loaded_files.get(part.module, "")) for part in good]
    return Sent(function, tuple(modules), tuple(part for part in parts if part not in good))


def _is_importable(module: str) -> bool:
    try:
        return module != "__main__" and importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _remedy(name: str, module: str) -> str:
    return (
        f'"{name}" is defined in {module}, which another process cannot import; put it into a file such as my_parts.py,'
        " and say import my_parts, or --parts my_parts.py"
    )
