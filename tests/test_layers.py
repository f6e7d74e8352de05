"""Which package may import which, held by reading the source: nothing is imported here. Each rule has a control.

Each package is a layer, and imports its own modules and those of the layers below it, never one above. Imports inside
functions and those for types alone, under ``if TYPE_CHECKING:``, count as well, for layers and for circles between
files. The rules about what is in a file are in `test_rules`.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

from .sources import imports, modules

# From the bottom up: rooms, modules at the root, and the sub-layers of a room, which are named with a dot. A sub-layer
# stands on a line of its own choice, and what is left of its room on the line of the room. Two share a line where
# neither imports the other.
LAYERS = [
    {"version", "contracts"},
    {"tools"},
    {"tools.words", "tools.export", "tools.cells"},  # all checks, figures and pages may ask which languages there are
    {"metrics", "metrics.calibration", "settings"},
    {"engine.numerics"},
    {"engine.terms"},
    {"engine.pairs"},
    {"engine.steps"},
    {"engine.jumps"},
    {"engine.networks"},
    {"engine"},
    {"datasets", "kernels", "losses", "integrators.schedules"},
    {"priors"},
    {"integrators", "methods.jumps"},
    {"methods"},
    {"targets"},
    {"diagnostics"},
    {"plotting"},
    {"plotting.films", "simulation"},
    {"functionspace.covariances", "functionspace.likelihoods"},
    {"functionspace.preprocessing", "functionspace.newton"},
    {"functionspace.search"},
    {"functionspace.functionals", "functionspace.linalg"},
    {"functionspace.basis", "functionspace.selection"},
    {"functionspace.residuals"},
    {"functionspace.gp", "functionspace.linear", "functionspace.means", "functionspace.prediction"},
    {"functionspace.divergences", "functionspace.sampling", "functionspace.wasserstein"},
    {"functionspace.estimators"},
    {"functionspace"},
    {"networks"},  # their estimators run simulations, and stand on the same base as those over functions
    {"scenario.tables"},
    {"scenario.kinds", "runs.storage"},  # kinds know no folder, and a folder knows no kind
    {"scenario", "pages"},  # pages read parts and runs of particles, and results make pages
    {"scenarios", "schedules", "jumps", "calibration", "tables"},  # public names of modules that rooms hold
    {"runs.results"},
    {"runs"},
    {"sweeps"},
    {"cli.doctor", "verification"},
    {"cli"},
    {"__main__"},
]
HEIGHTS = {part: level for level, parts in enumerate(LAYERS) for part in parts}
MOST_ROOMS = 22
# Files that hold one definition in plain Python, and the files beside them that do more.
DEFINITIONS = ("losses", "kernels")
NOT_DEFINITIONS = {
    "particlegvi.losses", "particlegvi.losses.loss", "particlegvi.losses.checks",
    "particlegvi.losses.automatic", "particlegvi.losses.of_data",
    "particlegvi.kernels", "particlegvi.kernels.bandwidth", "particlegvi.kernels.on_outputs",
}  # fmt: skip
NO_LOSSES = ("particlegvi.losses.formulas", "particlegvi.losses.models")  # whole folders that define no loss
PLAIN = {"__future__", "math", "numpy", "typing"}
CHECKS = "particlegvi.tools.arguments"  # the one module of the package that a definition file imports
# Packages that some parts of the house keep to themselves.
KEPT = {"numba": ("engine",), "llvmlite": ("engine",), "matplotlib": ("plotting",)}
# Parts whose sources name the folder of compiled code on disk: only they may add to what is compiled.
COMPILED = {"engine", "losses", "kernels", "priors", "functionspace/likelihoods"}
DECORATORS = {f"particlegvi.engine.numerics.compiled.{name}" for name in ("compiled", "nested", "inlined")}
# Parts that are users of the package, and come in by the front door: `import particlegvi as pg`.
USERS = ("verification", "cli", "__main__")


def layer_of(name: str) -> str:
    """The room or the sub-layer that holds a module: ``runs.storage`` for ``particlegvi.runs.storage.manifest``."""
    words = name.split(".")[1:]
    return next((word for word in [".".join(words[:2]), *words] if word in HEIGHTS), "".join(words[:1]))


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """One sentence for each import of ``module`` that the house does not allow."""
    part = module.split(".")[1] if "." in module else ""
    layer = layer_of(module)
    own = HEIGHTS.get(layer)
    if own is None and module != "particlegvi":
        return [f"{module} belongs to no layer: name it in LAYERS"]
    running = set(imports(source, module, is_package))
    found = []
    for each in imports(source, module, is_package, types=True):
        line, name = each.line, each.name
        top = name.split(".")[0]
        if top != "particlegvi" and each not in running:
            continue
        defines = part in DEFINITIONS and module not in NOT_DEFINITIONS and not module.startswith(NO_LOSSES)
        if defines and top not in PLAIN and not name.startswith(CHECKS):
            only = ", ".join(sorted({*PLAIN, CHECKS}))
            found.append(f"{module}:{line} imports {name}; a definition file imports only {only}")
        if part == "contracts" and top not in ("__future__", "typing"):
            found.append(f"{module}:{line} imports {name}; contracts import nothing that runs but typing")
        if part not in KEPT.get(top, (part,)):
            found.append(f"{module}:{line} imports {top}, which only particlegvi.{KEPT[top][0]} may")
        if name in DECORATORS and part not in COMPILED:
            found.append(f"{module}:{line} compiles code that the digest of sources does not cover")
        if top != "particlegvi" or own is None:
            continue
        target = layer_of(name)
        if target == "__version__":
            continue
        level = HEIGHTS.get(target)
        if level is None and part not in USERS:
            found.append(f"{module}:{line} imports {name} through the front door: name the module that defines it")
        elif level is not None and target != layer and level >= own:
            where = "a layer above" if level > own else "which shares a layer with"
            found.append(f"{module}:{line} imports {name}, {where} particlegvi.{layer}")
    return found


def test_every_import_points_down(root):
    found = [
        sentence
        for path, module, is_package in modules(root)
        for sentence in violations(path.read_text(encoding="utf-8"), module, is_package)
    ]
    assert not found, "\n".join(found)


def test_the_layers_name_only_what_exists(root):
    within = {module.removeprefix("particlegvi.") for _, module, _ in modules(root)}
    files = {module.split(".")[1] for _, module, is_package in modules(root) if module.count(".") == 1}
    named = set().union(*LAYERS)
    assert files - {"particlegvi"} <= named <= files | within
    assert sum(map(len, LAYERS)) == len(named)
    assert {module for _, module, _ in modules(root)} >= NOT_DEFINITIONS


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("particlegvi.losses.bad", "import numba", "a definition file imports only"),
        ("particlegvi.losses.bad", "from . import ring", "a definition file imports only"),
        ("particlegvi.kernels.bad", "from particlegvi.tools import files", "a definition file imports only"),
        ("particlegvi.engine.bad", "from particlegvi.losses.loss import Loss", "a layer above"),
        ("particlegvi.engine.bad", "def step():\n    import particlegvi.simulation.loop", "a layer above"),
        ("particlegvi.engine.bad", "import importlib\nimportlib.import_module('particlegvi.cli')", "a layer above"),
        ("particlegvi.engine.bad", "NAME = 'particlegvi.cli'\nimportlib.import_module(NAME)", "a layer above"),
        ("particlegvi.engine.bad", "if TYPE_CHECKING:\n    from particlegvi.losses.loss import Loss", "a layer above"),
        ("particlegvi.engine.bad", "import particlegvi as pg", "through the front door"),
        ("particlegvi.methods.bad", "from ..engine.numerics.compiled import nested", "digest of sources"),
        ("particlegvi.runs.storage.bad", "from particlegvi.scenario import kinds", "which shares a layer with"),
        ("particlegvi.scenario.kinds.bad", "from particlegvi.runs.storage.folder import x", "shares a layer with"),
        ("particlegvi.tools.words.bad", "from ..cells import Store", "which shares a layer with"),
        ("particlegvi.settings.bad", "def check():\n    from particlegvi.scenario import kinds", "a layer above"),
        ("particlegvi.targets.bad", "import matplotlib.pyplot as plt", "only particlegvi.plotting may"),
        ("particlegvi.contracts", "import numpy as np", "nothing that runs but typing"),
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
        ("particlegvi.engine.good", "import numba\nfrom . import noise\nfrom .noise import normals"),
        ("particlegvi.simulation.loop", "from particlegvi.methods import DLE\nfrom particlegvi.engine import steps"),
        ("particlegvi.contracts", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np"),
        ("particlegvi.simulation.run", "class Run:\n    def plot(self):\n        from particlegvi import plotting"),
        ("particlegvi.cli", "from particlegvi import __version__, plotting, scenario"),
    ],
)
def test_a_good_import_is_not(module, source):
    assert violations(source, module) == []


def circle(edges: dict[str, set[str]]) -> list[str]:
    """The nodes of a circle, if there is one."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return error.args[1]
    return []


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
    assert circle(between_files(sources)) == []


@pytest.mark.parametrize(
    "form", ["from p.b import f", "def g():\n    import p.b", "if TYPE_CHECKING:\n    from p import b"]
)
def test_a_circle_is_found(form):
    sources = {"p": ("", True), "p.a": (form, False), "p.b": ("from p.c import g", False), "p.c": ("import p.a", False)}
    assert set(circle(between_files(sources))) == {"p.a", "p.b", "p.c"}
    sources["p.c"] = ("import math", False)
    assert circle(between_files(sources)) == []


def test_the_root_holds_packages_and_few_modules(root):
    # `import particlegvi.tables` must find a module as `pg.tables` does, and a plain file of one screen needs no finder
    public = {"scenarios.py", "schedules.py", "jumps.py", "calibration.py", "tables.py"}
    there = {path.name for path in (root / "particlegvi").glob("*.py")}
    assert there == {"__init__.py", "__main__.py", "contracts.py", "version.py"} | public
    assert len([path for path in (root / "particlegvi").iterdir() if (path / "__init__.py").is_file()]) <= MOST_ROOMS
