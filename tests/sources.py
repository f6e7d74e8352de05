"""Reading the package's sources without importing them: its files, and the imports in them."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

MODULE = re.compile(r"particlegvi(\.[a-z_]+)+")
REGISTRIES = "particlegvi.tools.plugins"  # its table names the packages with parts, for ``particlegvi list --parts``


class Import(NamedTuple):
    line: int
    name: str  # absolute, dotted: particlegvi.engine.numerics.noise, or particlegvi.engine.numerics.noise.normals
    function: str | None  # the function that holds it, None at the top of the module


@cache
def _imports(source: str, module: str, is_package: bool) -> tuple[tuple[Import, bool], ...]:
    """Every import of a module's source, and whether it can run."""
    home = module.split(".") if is_package else module.split(".")[:-1]
    of_module: list[tuple[Import, bool]] = []

    def walk(node: ast.AST, function: str | None, runs: bool) -> None:
        if isinstance(node, ast.Import):
            of_module.extend((Import(node.lineno, alias.name, function), runs) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] if node.level else []
            names = [".".join([*base, *filter(None, [node.module]), alias.name]) for alias in node.names]
            of_module.extend((Import(node.lineno, name, function), runs) for name in names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            if module != REGISTRIES:  # a text that is the name of a module may be imported
                of_module.append((Import(node.lineno, node.value, function), runs))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        typed = node.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) else []
        for child in ast.iter_child_nodes(node):
            walk(child, function, runs and child not in typed)

    walk(ast.parse(source), None, True)
    return tuple(of_module)


def imports(source: str, module: str, is_package: bool = False, types: bool = False) -> list[Import]:
    """Every import of a module's source that can run, with relative names made absolute; with ``types`` all others."""
    return [each for each, runs in _imports(source, module, is_package) if runs or types]


def script(path: Path) -> ModuleType:
    """A program that is no part of the package, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def modules(root: Path) -> list[tuple[Path, str, bool]]:
    """(path, dotted name, whether it is a package) of every source file."""
    found = []
    for path in sorted((root / "particlegvi").rglob("*.py")):
        parts = list(path.relative_to(root).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        found.append((path, ".".join(parts[:-1] if is_package else parts), is_package))
    return found
