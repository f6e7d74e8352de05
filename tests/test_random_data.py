"""Random data of a test depend on its name alone, and no test draws from a generator that it shares with others."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

DRAWING = """
import numpy as np
import pytest

SHARED = np.random.default_rng(3)

def say(name, own):
    with open("draws", "a") as file:
        print(name, own.normal(), SHARED.normal(), file=file)

def test_first(rng):
    say("first", rng)

@pytest.mark.parametrize("size", [1, 2])
def test_second(rng, size):
    say(f"second {size}", rng)

class TestAgain:
    def test_first(self, rng):
        say("again", rng)
"""
# Names of what makes a generator, and of functions that draw from the one generator that a whole process shares.
MAKERS = {"default_rng", "RandomState", "Generator", "Random", "SystemRandom"}
HARMLESS = MAKERS | {"SeedSequence", "BitGenerator", "PCG64", "Philox"}


def shared_generators(body: list[ast.stmt]) -> set[str]:
    """Names that are bound to a generator by the statements of a module or a class."""
    bound = set()
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Call):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if ast.unparse(statement.value.func).split(".")[-1] in MAKERS:
                bound |= {target.id for target in targets if isinstance(target, ast.Name)}
    return bound


def draws_from_shared(source: str) -> list[str]:
    """One sentence for each use, inside a function, of a generator that outlives the function."""
    if not any(word in source for word in ("random", *MAKERS)):
        return []  # before the slow part: most files have none of these
    tree = ast.parse(source)
    names = shared_generators(tree.body)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    of_process = {"np.random", "numpy.random", *({"random"} & imported)}
    attributes = set().union(*(shared_generators(c.body) for c in ast.walk(tree) if isinstance(c, ast.ClassDef)))

    def used(node: ast.AST) -> Iterator[tuple[int, str]]:
        if isinstance(node, ast.Name) and node.id in names:
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            of_class = owner in ("self", "cls") and node.attr in attributes
            if of_class or (owner in of_process and node.attr not in HARMLESS):
                yield node.lineno, ast.unparse(node)

    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        body = function.body if isinstance(function.body, list) else [function.body]
        found += [use for statement in body for node in ast.walk(statement) for use in used(node)]
        for default in [*function.args.defaults, *filter(None, function.args.kw_defaults)]:
            if isinstance(default, ast.Call) and ast.unparse(default.func).split(".")[-1] in MAKERS:
                found.append((default.lineno, ast.unparse(default)))
    return [
        f"line {line} draws from {name}, which tests share: use the fixture rng" for line, name in sorted(set(found))
    ]


def test_no_test_draws_from_a_generator_that_others_share(root):
    found = [
        f"{path.relative_to(root)}: {sentence}"
        for path in sorted((root / "tests").rglob("*.py"))
        for sentence in draws_from_shared(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "RNG = np.random.default_rng(3)\ndef test():\n    x = RNG.normal()",
        "from numpy.random import default_rng\nRNG: object = default_rng(3)\ndef test():\n    x = RNG.normal()",
        "RNG = np.random.default_rng(3)\nclass Test:\n    def test(self):\n        x = RNG.normal()",
        "RNG = np.random.default_rng(3)\ndraw = lambda: RNG.normal()",
        "class Test:\n    rng = np.random.default_rng(3)\n    def test(self):\n        x = self.rng.normal()",
        "def helper(rng=np.random.default_rng(3)):\n    return rng.normal()",
        "def test():\n    x = np.random.normal()",
        "import random\ndef test():\n    x = random.random()",
    ],
)
def test_a_shared_generator_is_reported(source):
    assert draws_from_shared(source)


@pytest.mark.parametrize(
    "source",
    [
        "RNG = np.random.default_rng(3)\nX = RNG.normal()\ndef test():\n    x = X",
        "def test():\n    rng = np.random.default_rng(3)\n    x = rng.normal()",
        "def test(rng):\n    x = rng.normal()",
        "def test():\n    random = np.random.default_rng(3)\n    x = random.normal()",
        "import random\ndef test():\n    x = random.Random(3).random()",
    ],
)
def test_data_of_ones_own_are_not(source):
    assert draws_from_shared(source) == []


@pytest.mark.thorough
def test_a_test_has_the_same_numbers_alone_and_after_others(root, tmp_path):
    """Control: the second column comes from a shared generator, and depends on what ran before."""
    (tmp_path / "tests" / "part").mkdir(parents=True)
    shutil.copy(root / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "part" / "test_drawing.py").write_text(DRAWING, encoding="utf-8")

    def draws(folder: str, *tests: str) -> dict[str, tuple[float, float]]:
        here = tmp_path / folder
        here.mkdir(exist_ok=True)
        (here / "draws").unlink(missing_ok=True)
        file = tmp_path / "tests" / "part" / "test_drawing.py"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
        chosen = [f"{os.path.relpath(file, here)}{test}" for test in tests or [""]]
        options = [f"--rootdir={tmp_path}", "--import-mode=importlib"]
        environment = {**os.environ, "PYTHONHASHSEED": str(len(tests) + 1)}
        done = subprocess.run([*command, *options, *chosen], cwd=here, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        rows = [line.rsplit(maxsplit=2) for line in (here / "draws").read_text(encoding="utf-8").splitlines()]
        return {name: (float(own), float(shared)) for name, own, shared in rows}

    whole = draws(".")
    assert len({own for own, _ in whole.values()}) == 4  # every test, and every parameter, has its own numbers
    turned = draws("elsewhere", "::TestAgain", "::test_second[2]", "::test_first")
    assert turned.keys() == {"again", "second 2", "first"}
    assert all(turned[name][0] == whole[name][0] for name in turned)
    assert all(turned[name][1] != whole[name][1] for name in turned)
