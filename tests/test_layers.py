"""The direction of imports, held by reading the source: nothing is imported here.

Each module belongs to a layer, and a layer imports its own modules and those of the layers below it, never one above.
Imports inside functions count as well; only those under ``if TYPE_CHECKING:`` do not, since they never run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

# From the bottom up. A name is a module or a subpackage of particlegvi.
LAYERS = [
    {"version", "contracts"},
    {"tools", "metrics", "calibration"},
    {"engine"},
    {"datasets"},
    {"losses", "kernels", "priors"},
    {"schedules"},
    {"methods", "integrators"},
    {"simulation"},
    {"targets", "diagnostics", "functionspace"},
    {"tables"},
    {"results", "scenario", "kinds", "storage", "settings", "running"},
    {"plotting"},
    {"bench", "verification"},
    {"cli", "__main__"},
]
# The only uses of a layer above: (module, imported part, function that holds the import).
EXCEPTIONS = {("particlegvi.simulation.run", "plotting", "plot"), ("particlegvi.running.compare", "plotting", "plot")}
# Files that hold one definition in plain Python, and the files beside them that do more.
DEFINITIONS = ("losses", "kernels")
NOT_DEFINITIONS = {
    "particlegvi.losses", "particlegvi.losses.loss", "particlegvi.losses.checks", "particlegvi.kernels",
    "particlegvi.kernels.bandwidth",
}  # fmt: skip
FORMULAS = "particlegvi.losses.formulas"  # a whole folder that defines no loss
PLAIN = {"__future__", "math", "numpy", "typing"}
CHECKS = "particlegvi.tools.arguments"  # the one module of the package that a definition file imports
# Packages that some parts of the house keep to themselves.
KEPT = {"numba": ("engine", "bench"), "llvmlite": ("engine",), "matplotlib": ("plotting", "bench")}
# Parts whose sources name the folder of compiled code on disk: only they may add to what is compiled.
COMPILED = {"engine", "losses", "kernels", "priors", "functionspace/likelihoods"}
DECORATORS = {f"particlegvi.engine.numerics.compiled.{name}" for name in ("compiled", "nested", "inlined")}
# Parts that are users of the package, and come in by the front door: `import particlegvi as pg`.
USERS = ("bench", "verification", "cli", "__main__")


class Import(NamedTuple):
    line: int
    name: str  # absolute, dotted: particlegvi.engine.numerics.noise, or particlegvi.engine.numerics.noise.normals
    function: str | None  # the function that holds it, None at the top of the module


def imports(source: str, module: str, is_package: bool = False) -> Iterator[Import]:
    """Every import of a module's source that can run, with relative names made absolute."""
    home = module.split(".") if is_package else module.split(".")[:-1]

    def walk(node: ast.AST, function: str | None) -> Iterator[Import]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            children = node.orelse
        else:
            children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, function)
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) - node.level + 1] if node.level else []
            for alias in node.names:
                yield Import(node.lineno, ".".join([*base, *filter(None, [node.module]), alias.name]), function)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func).split(".")[-1]
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield Import(node.lineno, node.args[0].value, function)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        for child in children:
            yield from walk(child, function)

    yield from walk(ast.parse(source), None)


def height(part: str) -> int | None:
    return next((level for level, parts in enumerate(LAYERS) if part in parts), None)


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """One sentence for each import of ``module`` that the house does not allow."""
    part = module.split(".")[1] if "." in module else ""
    own = height(part)
    if own is None and module != "particlegvi":
        return [f"{module} belongs to no layer: name it in LAYERS"]
    found = []
    for line, name, function in imports(source, module, is_package):
        top, *rest = name.split(".")
        defines = part in DEFINITIONS and module not in NOT_DEFINITIONS and not module.startswith(FORMULAS)
        if defines and top not in PLAIN and not name.startswith(CHECKS):
            only = ", ".join(sorted({*PLAIN, CHECKS}))
            found.append(f"{module}:{line} imports {name}; a definition file imports only {only}")
        if part not in KEPT.get(top, (part,)):
            found.append(f"{module}:{line} imports {top}, which only particlegvi.{KEPT[top][0]} may")
        if name in DECORATORS and part not in COMPILED:
            found.append(f"{module}:{line} compiles code that the digest of sources does not cover")
        if name.startswith("scipy.stats") and function is None:
            found.append(f"{module}:{line} imports scipy.stats at the top, which takes a second")
        if top != "particlegvi" or own is None:
            continue
        target = rest[0] if rest else ""
        if target == "__version__" or (module, target, function) in EXCEPTIONS:
            continue
        level = height(target)
        if level is None and part not in USERS:
            found.append(f"{module}:{line} imports {name} through the front door: name the module that defines it")
        elif level is not None and level > own:
            found.append(f"{module}:{line} imports {name}, a layer above particlegvi.{part}")
    return found


def modules(root: Path) -> list[tuple[Path, str, bool]]:
    """(path, dotted name, whether it is a package) of every source file."""
    found = []
    for path in sorted((root / "particlegvi").rglob("*.py")):
        parts = list(path.relative_to(root).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        found.append((path, ".".join(parts[:-1] if is_package else parts), is_package))
    return found


def test_every_import_points_down(root):
    found = [
        sentence
        for path, module, is_package in modules(root)
        for sentence in violations(path.read_text(encoding="utf-8"), module, is_package)
    ]
    assert not found, "\n".join(found)


def test_the_layers_name_only_what_exists(root):
    there = {module.split(".")[1] for _, module, _ in modules(root) if "." in module}
    assert set().union(*LAYERS) == there
    assert {module for _, module, _ in modules(root)} >= NOT_DEFINITIONS


def test_the_digest_covers_all_that_is_compiled(root):
    tree = ast.parse((root / "particlegvi" / "engine" / "numerics" / "compiled.py").read_text(encoding="utf-8"))
    (digested,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SOURCES"
    ]
    assert set(digested) >= COMPILED


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("particlegvi.losses.bad", "import numba", "a definition file imports only"),
        ("particlegvi.losses.bad", "from scipy.special import erf", "a definition file imports only"),
        ("particlegvi.losses.bad", "from . import ring", "a definition file imports only"),
        ("particlegvi.kernels.bad", "from particlegvi.tools import files", "a definition file imports only"),
        ("particlegvi.kernels.bad", "from ..engine.adapter import compiled", "a definition file imports only"),
        ("particlegvi.engine.bad", "from particlegvi.losses.loss import Loss", "a layer above"),
        ("particlegvi.engine.bad", "from ..methods import DLE", "a layer above"),
        ("particlegvi.engine.bad", "def step():\n    import particlegvi.simulation.loop", "a layer above"),
        ("particlegvi.engine.bad", "import importlib\nimportlib.import_module('particlegvi.cli')", "a layer above"),
        ("particlegvi.engine.bad", "from particlegvi import simulation", "a layer above"),
        ("particlegvi.engine.bad", "import particlegvi as pg", "through the front door"),
        ("particlegvi.methods.bad", "from particlegvi.scenario import load", "a layer above"),
        ("particlegvi.integrators.bad", "import numba", "only particlegvi.engine may"),
        ("particlegvi.methods.bad", "from ..engine.numerics.compiled import nested", "digest of sources"),
        ("particlegvi.simulation.loop", "from particlegvi.results import Results", "a layer above"),
        ("particlegvi.targets.bad", "from particlegvi import cli", "a layer above"),
        ("particlegvi.diagnostics.bad", "import particlegvi.plotting.style", "a layer above"),
        ("particlegvi.simulation.run", "from particlegvi.plotting import draw", "a layer above"),
        ("particlegvi.bench.bad", "from particlegvi.cli import main", "a layer above"),
        ("particlegvi.results", "def show():\n    from particlegvi import plotting", "a layer above"),
        ("particlegvi.targets.bad", "import matplotlib.pyplot as plt", "only particlegvi.plotting may"),
        ("particlegvi.diagnostics.bad", "from scipy import stats", "at the top"),
        ("particlegvi.newcomer", "import math", "belongs to no layer"),
    ],
)
def test_a_bad_import_is_reported(module, source, complaint):
    assert [sentence for sentence in violations(source, module) if complaint in sentence]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("particlegvi.losses.good", "from __future__ import annotations\nimport math\nfrom typing import NamedTuple"),
        ("particlegvi.kernels.good", "from particlegvi.tools import arguments"),
        ("particlegvi.losses", "from particlegvi.tools.registry import Registry"),
        ("particlegvi.engine.good", "import numba\nfrom . import noise\nfrom .noise import normals"),
        ("particlegvi.simulation.loop", "from particlegvi.methods import DLE\nfrom particlegvi.engine import steps"),
        ("particlegvi.simulation.run", "class Run:\n    def plot(self):\n        from particlegvi import plotting"),
        ("particlegvi.engine.good", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..loss import Loss"),
        ("particlegvi.cli", "from particlegvi import __version__, plotting, scenario"),
    ],
)
def test_a_good_import_is_not(module, source):
    assert violations(source, module, is_package=module.count(".") == 1 and module.endswith("losses")) == []
