"""The rules that keep the house, held by reading the source: nothing is imported here. Each has a control.

Each package is a layer, and imports its own modules and those of the layers below it, never one above. Imports inside
functions count as well; only those under ``if TYPE_CHECKING:`` do not, since they never run. They do count for circles
between files. The other rules: what the root holds, no private imports, which names kinds and storage may use, how many
positional parameters a function has, how long a file is, and how often `Any` and ``hasattr`` appear.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

# From the bottom up, packages and modules at the root. Two share a line where neither imports the other.
LAYERS = [
    {"version", "contracts"},
    {"tools"},
    {"words"},  # so low that checks of settings, figures and pages can all ask which languages there are
    {"metrics", "calibration", "settings", "export", "cells"},
    {"engine"},
    {"datasets", "kernels", "losses", "schedules"},
    {"priors"},
    {"integrators", "jumps"},
    {"methods", "targets"},
    {"diagnostics"},
    {"plotting"},
    {"films", "simulation"},
    {"functionspace"},
    {"networks"},  # their estimators run simulations, and stand on the same base as those over functions
    {"tables"},
    {"storage"},
    {"kinds"},
    {"scenario", "pages"},  # pages read parts and runs of particles, and results make pages
    {"results"},
    {"running"},
    {"sweeps"},
    {"bench", "doctor", "verification"},
    {"cli"},
    {"__main__"},
]
# Files that hold one definition in plain Python, and the files beside them that do more.
DEFINITIONS = ("losses", "kernels")
NOT_DEFINITIONS = {
    "particlegvi.losses", "particlegvi.losses.loss", "particlegvi.losses.checks", "particlegvi.kernels",
    "particlegvi.kernels.bandwidth", "particlegvi.kernels.on_outputs",
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


def imports(source: str, module: str, is_package: bool = False, types: bool = False) -> Iterator[Import]:
    """Every import of a module's source that can run, with relative names made absolute; with ``types`` all others."""
    home = module.split(".") if is_package else module.split(".")[:-1]

    def walk(node: ast.AST, function: str | None) -> Iterator[Import]:
        if not types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
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
        if target == "__version__":
            continue
        level = height(target)
        if level is None and part not in USERS:
            found.append(f"{module}:{line} imports {name} through the front door: name the module that defines it")
        elif level is not None and target != part and level >= own:
            where = "a layer above" if level > own else "which shares a layer with"
            found.append(f"{module}:{line} imports {name}, {where} particlegvi.{part}")
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


# Methods that numba compiles, of losses, kernels, priors and likelihoods.
METHODS = {"value", "gradient", "values", "gradients", "slope", "cost_at", "slope_at", "curvature_at"}


def compiles(source: str) -> bool:
    """Whether a file defines a term, or a function for numba."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = {each.name for node in classes for each in node.body if isinstance(each, ast.FunctionDef)}
    return bool(methods & METHODS) or "numerics.compiled" in source


def test_what_the_digest_leaves_out_compiles_nothing(root):
    package = root / "particlegvi"
    source = (package / "engine" / "numerics" / "compiled.py").read_text(encoding="utf-8")
    (left_out,) = [
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "NEVER_COMPILED"
    ]
    files = [path for name in left_out for path in [package / name, *(package / name).glob("*.py")]]
    plain = [path for path in files if path.is_file() and path.name != "loss.py"]  # Loss calls terms and is none
    assert len(plain) > 10
    assert [path.name for path in plain if compiles(path.read_text(encoding="utf-8"))] == []
    assert compiles((package / "losses" / "ring.py").read_text(encoding="utf-8"))
    assert compiles((package / "priors" / "normal.py").read_text(encoding="utf-8"))


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
        ("particlegvi.plotting.bad", "from particlegvi.results import Results", "a layer above"),
        ("particlegvi.storage.bad", "from particlegvi import kinds", "a layer above"),
        ("particlegvi.kinds.bad", "from particlegvi.running.execute import run", "a layer above"),
        ("particlegvi.settings.bad", "def check():\n    from particlegvi import kinds", "a layer above"),
        ("particlegvi.losses", "from particlegvi.kernels import names", "which shares a layer with"),
        ("particlegvi.bench.bad", "from particlegvi.cli import main", "a layer above"),
        ("particlegvi.functionspace", "def show():\n    from particlegvi import results", "a layer above"),
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


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The sets of two or more nodes that all lead to each other (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    found = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        waiting.append(node)
        for other in edges[node]:
            if other not in number:
                visit(other)
            if other in waiting:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            circle = waiting[waiting.index(node) :]
            del waiting[waiting.index(node) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in edges:
        if node not in number:
            visit(node)
    return found


def between_files(sources: dict[str, tuple[str, bool]]) -> dict[str, set[str]]:
    """The modules that each module imports, those for types included."""
    edges: dict[str, set[str]] = {module: set() for module in sources}
    for module, (source, is_package) in sources.items():
        for _, name, _ in imports(source, module, is_package, types=True):
            while name and name not in sources:
                name = name.rpartition(".")[0]
            if name and name != module:
                edges[module].add(name)
    return edges


def test_no_files_import_each_other_in_a_circle(root):
    sources = {module: (path.read_text(encoding="utf-8"), package) for path, module, package in modules(root)}
    assert circles(between_files(sources)) == []


@pytest.mark.parametrize(
    "form", ["from p.b import f", "def g():\n    import p.b", "if TYPE_CHECKING:\n    from p import b"]
)
def test_a_circle_is_found(form):
    sources = {"p": ("", True), "p.a": (form, False), "p.b": ("from p.c import g", False), "p.c": ("import p.a", False)}
    assert circles(between_files(sources)) == [["p.a", "p.b", "p.c"]]
    sources["p.c"] = ("import math", False)
    assert circles(between_files(sources)) == []


def test_the_root_holds_packages_and_four_modules(root):
    there = {path.name for path in (root / "particlegvi").glob("*.py")}
    assert there == {"__init__.py", "__main__.py", "contracts.py", "version.py"}


POSITIONAL = 6
OF_TUPLES = ("_fields", "_replace", "_asdict", "_make")
LONGEST = 300
# The checks of values have one home, and their names too. `schedules.shown` is public: how a step size is printed.
VOCABULARY = {"whole", "positive", "points", "shown", "refuse"}
SPEAKERS = ("particlegvi.tools.arguments", "particlegvi.tools.quoting", "particlegvi.settings.checks")
ALSO_NAMED = {("particlegvi.schedules", "shown")}
# As in "dim is 0; it must be positive" and "data must have the key name; it has none".
OLD_VOICE = re.compile(r"(is|are) \{\}; (\w+ )+must |must .*; (it|they) (has|have|is|are) ")
# These numbers may only fall.
MOST_ANY = 588
MOST_PROBES = 30


def is_private(node: ast.Attribute) -> bool:
    """Whether a private attribute of another object is used; those of named tuples and the standard library may be."""
    own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os", "hashlib")
    own = own or ast.unparse(node.value) == "super()"
    return node.attr.startswith("_") and not node.attr.endswith("__") and not own and node.attr not in OF_TUPLES


def is_compiled(function: ast.FunctionDef | ast.AsyncFunctionDef, module: str) -> bool:
    """Whether numba calls it: a function of the engine, or one with a decorator of the engine."""
    decorated = {ast.unparse(each).split("(")[0] for each in function.decorator_list}
    return module.startswith("particlegvi.engine") or bool(decorated & {"compiled", "nested", "inlined"})


def faults(source: str, module: str) -> list[str]:
    """One sentence for each place of a module that breaks a rule about names, signatures or length."""
    found = []
    lines = len(source.splitlines())
    if lines > LONGEST:
        found.append(f"{module} has {lines} lines; {LONGEST} at most")
    if module.rpartition(".")[2].startswith("_") and not module.endswith("__"):
        found.append(f"{module} is a private module")
    part = module.split(".")[1] if "." in module else ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            private = [each.name for each in node.names if each.name.startswith("_") and not each.name.endswith("__")]
            found += [f"{module}:{node.lineno} imports the private {name}" for name in private]
        if isinstance(node, ast.Attribute) and is_private(node):
            found.append(f"{module}:{node.lineno} uses the private {ast.unparse(node)}")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_compiled(node, module):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            number = len(names) - (names[:1] in (["self"], ["cls"]))
            if number > POSITIONAL:
                where = f"{module}:{node.lineno} {node.name}"
                found.append(f"{where} has {number} positional parameters; {POSITIONAL} at most")
        word = node.name if isinstance(node, ast.FunctionDef) else ""
        if word in VOCABULARY and module not in SPEAKERS and (module, word) not in ALSO_NAMED:
            found.append(f"{module}:{node.lineno} defines {word}; use that of particlegvi.tools.arguments")
        named = [getattr(node, field, None) for field in ("id", "name", "attr", "value")]
        if part in ("kinds", "functionspace") and {"Results", "Folder"} & {each for each in named if type(each) is str}:
            found.append(f"{module}:{getattr(node, 'lineno', 0)} names Results or Folder")
        if isinstance(node, ast.Raise) and OLD_VOICE.search(sentence(node)):
            found.append(f"{module}:{node.lineno} says what is before what must be; KEY must be WHAT, not VALUE")
    if part in ("kinds", "functionspace"):
        for line, name, _ in imports(source, module, types=True):
            if name.startswith(("particlegvi.storage", "particlegvi.results", "particlegvi.running")):
                found.append(f"{module}:{line} imports {name}, which it must not know")
    if part == "storage":
        allowed = ("tools", "contracts", "simulation", "settings.checks", "storage", "version")
        for line, name, _ in imports(source, module, types=True):
            top, _, inside = name.partition(".")
            if top == "particlegvi" and not inside.startswith(allowed):
                found.append(f"{module}:{line} imports {name}, which the format of a folder must not know")
    return found


def sentence(node: ast.Raise) -> str:
    """The text of ``raise ValueError("...")``, {} for each value in it; empty where it is made in another way."""
    if not isinstance(node.exc, ast.Call) or ast.unparse(node.exc.func) != "ValueError" or not node.exc.args:
        return ""
    text = node.exc.args[0]
    pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in pieces)


def test_names_signatures_and_lengths(root):
    found = [each for path, module, _ in modules(root) for each in faults(path.read_text(encoding="utf-8"), module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("particlegvi.targets.bad", "x = 1\n" * (LONGEST + 1), "lines;"),
        ("particlegvi.targets._bad", "", "private module"),
        ("particlegvi.targets.bad", "from particlegvi.kinds.table import _row", "private _row"),
        ("particlegvi.targets.bad", "def f(a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.targets.bad", "class A:\n    def f(self, a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.kinds.bad", "from particlegvi.results import Results", "names Results"),
        ("particlegvi.kinds.bad", "def f(folder: 'Folder'): ...", "names Results or Folder"),
        ("particlegvi.kinds.bad", "x = storage.Folder(path)", "names Results or Folder"),
        ("particlegvi.kinds.bad", "from particlegvi.storage.folder import open_folder", "which it must not know"),
        ("particlegvi.functionspace.bad", "def f(folder: Folder): ...", "names Results or Folder"),
        ("particlegvi.targets.bad", "x = model._residual", "uses the private model._residual"),
        ("particlegvi.targets.bad", "async def f(a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.kernels.bad", "def positive(key, value): ...", "defines positive"),
        ("particlegvi.priors.bad", "def f():\n    def refuse(key): ...", "defines refuse"),
        ("particlegvi.losses.bad", "raise ValueError(f'dim is {dim!r}; it must be positive')", "not VALUE"),
        ("particlegvi.losses.bad", "raise ValueError(f'a of b is {a}; every entry must be positive')", "not VALUE"),
        ("particlegvi.settings.bad", "raise ValueError(f'{a} must have the key {b}; it has {c}')", "not VALUE"),
        ("particlegvi.storage.bad", "from particlegvi.settings import keys", "format of a folder"),
        ("particlegvi.storage.bad", "from particlegvi.engine import noise", "format of a folder"),
    ],
)
def test_a_fault_is_reported(module, source, complaint):
    assert [sentence for sentence in faults(source, module) if complaint in sentence]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("particlegvi.targets.good", "def f(self, a, b, c, d, e, f, *, g): ..."),
        ("particlegvi.targets.good", "class A:\n    def f(self): return self._x, x._replace(a=1), super()._f()"),
        ("particlegvi.engine.good", "def f(a, b, c, d, e, f, g): ..."),
        ("particlegvi.priors.good", "@compiled\ndef f(a, b, c, d, e, f, g): ..."),
        ("particlegvi.storage.good", "from particlegvi.settings import checks\nfrom particlegvi.tools import files"),
        ("particlegvi.tools.arguments", "def whole(key, value): ..."),
        ("particlegvi.losses.good", "raise ValueError(f'{key} must be positive, not {value}')"),
        ("particlegvi.targets.good", "x = 1\n" * LONGEST),
    ],
)
def test_what_is_no_fault_is_not(module, source):
    assert faults(source, module) == []


def counted(source: str) -> tuple[int, int]:
    """How often ``Any`` appears as a word, and how often ``hasattr`` or ``getattr`` is called."""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    probes = sum(isinstance(each, ast.Name) and each.id in ("hasattr", "getattr") for each in calls)
    return len(re.findall(r"\bAny\b", source)), probes


def test_any_and_probes_of_attributes_become_fewer(root):
    each = [(*counted(path.read_text(encoding="utf-8")), module) for path, module, _ in modules(root)]
    most = [f"{module}: {number}" for number, _, module in sorted(each, reverse=True)[:12]]
    advice = "use the names of particlegvi.contracts (Facts, Scenario, Array) and particlegvi.kinds.kind (Parts, Runs)"
    assert sum(number for number, _, _ in each) <= MOST_ANY, f"{advice}; most have {', '.join(most)}"
    assert sum(number for _, number, _ in each) <= MOST_PROBES, "ask for what a contract names, or use isinstance"


def test_they_are_counted():
    source = "from typing import Any\ndef f(x: Any) -> Many:\n    return getattr(x, 'y', hasattr(x, 'z'))"
    assert counted(source) == (2, 2)
