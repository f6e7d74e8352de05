"""The rules about one file: names, signatures, length, wording, and two numbers that may only fall. Each has a control.

The sources are read, and nothing is imported. Which package may import which is in `test_layers`. Ruff holds that no
file uses a private name of another object (SLF001), and that none imports scipy.stats at its top (TID253).
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from .sources import imports, modules

# Methods of losses, kernels, priors and likelihoods that numba compiles.
METHODS = {
    "value", "gradient", "values", "gradients", "values_and_gradients", "slope", "cost_at", "slope_at", "curvature_at",
}  # fmt: skip
POSITIONAL = 6
LONGEST = 300
# The checks of values have one home, and their names too. `schedules.shown` is public: how a step size is printed.
VOCABULARY = {"whole", "positive", "points", "shown", "refuse"}
SPEAKERS = ("particlegvi.tools.arguments", "particlegvi.tools.quoting", "particlegvi.settings.checks")
ALSO_NAMED = {("particlegvi.integrators.schedules", "shown")}
# As in "dim is 0; it must be positive" and "data must have the key name; it has none".
OLD_VOICE = re.compile(r"(is|are) \{\}; (\w+ )+must |must .*; (it|they) (has|have|is|are) ")
# A sentence has a subject: it does not begin with one of these words.
NO_SUBJECT = re.compile(r"(?:^|[.!?:] )(What|That of|Those|The same)\b")
# These numbers may only fall.
MOST_ANY = 575
MOST_PROBES = 30


def is_compiled(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether numba calls it: it has a decorator of the engine."""
    decorated = {ast.unparse(each).split("(")[0] for each in function.decorator_list}
    return bool(decorated & {"compiled", "nested", "inlined"})


def is_typed(function: ast.FunctionDef) -> bool:
    """Whether every parameter and the result have a type. mypy asks it outside the engine, and here in the engine."""
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    returns = function.returns is not None or (function.name == "__init__" and len(given) > 1)
    return returns and all(each.annotation or each.arg in ("self", "cls") for each in given)


def plain_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions of a module and methods of its classes that numba does not make: no decorator of its, no term's."""
    makers = {"compiled", "nested", "inlined", "intrinsic", "overload_method", "numba.njit"}
    for node in [*tree.body, *(each for found in tree.body if isinstance(found, ast.ClassDef) for each in found.body)]:
        if isinstance(node, ast.FunctionDef) and node.name not in METHODS:
            if not makers & {ast.unparse(each).split("(")[0] for each in node.decorator_list}:
                yield node


def faults(source: str, module: str) -> list[str]:
    """One sentence for each place of a module that breaks a rule about names, signatures or length."""
    found = []
    lines = len(source.splitlines())
    if lines > LONGEST:
        found.append(f"{module} has {lines} lines; {LONGEST} at most")
    if module.rpartition(".")[2].startswith("_") and not module.endswith("__"):
        found.append(f"{module} is a private module")
    part = next((each for each in ("scenario.kinds", "runs.storage") if module.startswith(f"particlegvi.{each}.")), "")
    part = part or (module.split(".")[1] if "." in module else "")
    tree = ast.parse(source)
    if part == "engine":
        untyped = [node for node in plain_functions(tree) if not is_typed(node)]
        found += [f"{module}:{node.lineno} {node.name} lacks a type" for node in untyped]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            private = [each.name for each in node.names if each.name.startswith("_") and not each.name.endswith("__")]
            found += [f"{module}:{node.lineno} imports the private {name}" for name in private]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_compiled(node):
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            number = len(names) - (names[:1] in (["self"], ["cls"]))
            if number > POSITIONAL:
                where = f"{module}:{node.lineno} {node.name}"
                found.append(f"{where} has {number} positional parameters; {POSITIONAL} at most")
        word = node.name if isinstance(node, ast.FunctionDef) else ""
        if word in VOCABULARY and module not in SPEAKERS and (module, word) not in ALSO_NAMED:
            found.append(f"{module}:{node.lineno} defines {word}; use that of particlegvi.tools.arguments")
        if part in ("scenario.kinds", "functionspace"):
            named = {str(getattr(node, field, None)) for field in ("id", "name", "attr", "value")}
            if {"Results", "Folder"} & named:
                found.append(f"{module}:{getattr(node, 'lineno', 0)} names Results or Folder")
        if isinstance(node, ast.Raise) and OLD_VOICE.search(sentence(node)):
            found.append(f"{module}:{node.lineno} says what is before what must be; KEY must be WHAT, not VALUE")
    if part == "runs.storage":
        allowed = ("tools", "contracts", "simulation", "settings.checks", "runs.storage", "version")
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
        ("particlegvi.targets.bad", "from particlegvi.scenario.kinds.table import _row", "private _row"),
        ("particlegvi.targets.bad", "def f(a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.engine.bad", "def f(a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.engine.bad", "def f(a, b: int) -> int: ...", "lacks a type"),
        ("particlegvi.engine.bad", "class A:\n    @property\n    def f(self): ...", "lacks a type"),
        ("particlegvi.targets.bad", "class A:\n    def f(self, a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.scenario.kinds.bad", "from particlegvi.runs.results import Results", "names Results"),
        ("particlegvi.scenario.kinds.bad", "def f(folder: 'Folder'): ...", "names Results or Folder"),
        ("particlegvi.functionspace.bad", "def f(folder: Folder): ...", "names Results or Folder"),
        ("particlegvi.targets.bad", "async def f(a, b, c, d, e, f, g): ...", "7 positional parameters"),
        ("particlegvi.kernels.bad", "def positive(key, value): ...", "defines positive"),
        ("particlegvi.priors.bad", "def f():\n    def refuse(key): ...", "defines refuse"),
        ("particlegvi.losses.bad", "raise ValueError(f'dim is {dim!r}; it must be positive')", "not VALUE"),
        ("particlegvi.settings.bad", "raise ValueError(f'{a} must have the key {b}; it has {c}')", "not VALUE"),
        ("particlegvi.runs.storage.bad", "from particlegvi.settings import keys", "format of a folder"),
    ],
)
def test_a_fault_is_reported(module, source, complaint):
    assert [sentence for sentence in faults(source, module) if complaint in sentence]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("particlegvi.targets.good", "def f(self, a, b, c, d, e, f, *, g): ..."),
        ("particlegvi.engine.good", "@nested\ndef f(a, b, c, d, e, f, g): ..."),
        ("particlegvi.runs.storage.good", "from particlegvi.settings import checks"),
        ("particlegvi.tools.arguments", "def whole(key, value): ..."),
        ("particlegvi.losses.good", "raise ValueError(f'{key} must be positive, not {value}')"),
        ("particlegvi.targets.good", "x = 1\n" * LONGEST),
    ],
)
def test_what_is_no_fault_is_not(module, source):
    assert faults(source, module) == []


def counted(source: str) -> tuple[int, int]:
    """How often ``Any`` appears as a word, and how often ``hasattr`` or ``getattr`` is called."""
    return len(re.findall(r"\bAny\b", source)), len(re.findall(r"(?<![.\w])(?:has|get)attr\(", source))


def test_any_and_probes_of_attributes_become_fewer(root):
    each = [(*counted(path.read_text(encoding="utf-8")), module) for path, module, _ in modules(root)]
    most = [f"{module}: {number}" for number, _, module in sorted(each, reverse=True)[:12]]
    advice = "use the names of particlegvi.contracts (Facts, Scenario, Array) and of scenario.kinds.kind (Parts, Runs)"
    assert sum(number for number, _, _ in each) <= MOST_ANY, f"{advice}; most have {', '.join(most)}"
    assert sum(number for _, number, _ in each) <= MOST_PROBES, "ask for what a contract names, or use isinstance"


def test_they_are_counted():
    source = "from typing import Any\ndef f(x: Any) -> Many:\n    return getattr(x, 'y', hasattr(x, 'z'))"
    assert counted(source) == (2, 2)


def terms(sources: dict[str, str]) -> dict[str, list[str]]:
    """Where each class with methods that are compiled is defined, by its name."""
    found = defaultdict(list)
    for place, source in sources.items():
        if not any(f"def {name}(" in source for name in METHODS):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and _is_tuple(node, source):
                if METHODS & {each.name for each in node.body if isinstance(each, ast.FunctionDef)}:
                    found[node.name].append(place)
    return dict(found)


def _is_tuple(node: ast.ClassDef, source: str) -> bool:
    """Whether a class is a NamedTuple, or extends one of the same file."""
    bases = {ast.unparse(base) for base in node.bases}
    others = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ClassDef) and each.name in bases]
    return any(base.startswith("NamedTuple") for base in bases) or any(_is_tuple(other, source) for other in others)


def test_no_two_terms_share_a_name(root: Path):
    found = terms({module: path.read_text(encoding="utf-8") for path, module, _ in modules(root)})
    assert {"Quadratic", "FourGaussians", "SquaredExponential", "ConstantTerm", "FormulaTape"} <= found.keys()
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_a_shared_name_is_found():
    direct = "class Ring(NamedTuple):\n    a: float\n    def value(self, x): ..."
    derived = "class _Fields(NamedTuple):\n    a: float\nclass Ring(_Fields):\n    def slope(self, r2): ..."
    plain = "class Ring:\n    def value(self, x): ..."
    assert terms({"one": direct, "two": derived, "three": plain}) == {"Ring": ["one", "two"]}


def without_subject(source: str) -> list[str]:
    """The sentences of docstrings that begin with a word of `NO_SUBJECT`."""
    found = []
    if not re.search(r"\b(What|That\s+of|Those|The\s+same)\b", source):  # most files need no parsing
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                text = " ".join(paragraph.split())
                found += [text[begins.start() : begins.start() + 80] for begins in NO_SUBJECT.finditer(text)]
    return found


@pytest.mark.parametrize("folder", ["particlegvi", "tests", "docs", "benchmarks"])
def test_sentences_of_docstrings_have_a_subject(folder):
    found = (Path(__file__).parent.parent / folder).rglob("*.py")
    files = sorted(file for file in found if "auto_examples" not in file.parts)  # copies that the site's build makes
    assert files and not [(file.name, each) for file in files for each in without_subject(file.read_text("utf-8"))]


def test_a_sentence_without_subject_is_found():
    assert without_subject('"""What is kept."""') == ["What is kept."]
    assert without_subject("class A:\n    '''A law. The same\n    as above.'''") == [". The same as above."]
    assert without_subject('"""A law; those of others are not. What? No."""') == [". What? No."]
