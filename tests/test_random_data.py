"""Random data of a test depend on its name alone, and no test draws from a generator that it shares with others.

Ruff's rule NPY002 refuses the generator that all of numpy shares.
"""

import ast
import re

import pytest

MAKERS = {"default_rng", "RandomState", "Generator", "Random", "SystemRandom"}  # of generators


def is_made(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in MAKERS


def draws_from_shared(source: str) -> list[str]:
    """One sentence for each use, inside a function, of a generator that outlives the function."""
    if not any(word in source for word in ("random", *MAKERS)):
        return []  # before the slow part: most files have none of these
    tree = ast.parse(source)
    shared = {
        f"{owner}{ast.unparse(target)}"
        for home in ast.walk(tree)
        if isinstance(home, ast.Module | ast.ClassDef)
        for statement in home.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and is_made(statement.value)
        for target in getattr(statement, "targets", None) or [statement.target]
        for owner in (("",) if isinstance(home, ast.Module) else ("self.", "cls."))
    }
    of_process = re.compile(rf"random\.(?!{'|'.join(MAKERS)})\w+" if "import random\n" in source else "(?!)")
    found = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
                if name and isinstance(node.ctx, ast.Load) and (name in shared or of_process.fullmatch(name)):
                    found.add((node.lineno, name))
            defaults = [*function.args.defaults, *function.args.kw_defaults]
            found |= {(each.lineno, ast.unparse(each)) for each in defaults if is_made(each)}
    return [f"line {line} draws from {name}, which tests share: use the fixture rng" for line, name in sorted(found)]


def test_no_test_draws_from_a_generator_that_others_share(root):
    found = [
        f"{path.relative_to(root)}: {sentence}"
        for path in sorted((root / "tests").rglob("*.py"))
        for sentence in draws_from_shared(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "is_shared"),
    [
        ("RNG = np.random.default_rng(3)\ndef test():\n    x = RNG.normal()", True),
        ("RNG = np.random.default_rng(3)\ndraw = lambda: RNG.normal()", True),
        ("class Test:\n    rng = np.random.default_rng(3)\n    def test(self):\n        x = self.rng.normal()", True),
        ("def helper(rng=np.random.default_rng(3)):\n    return rng.normal()", True),
        ("import random\ndef test():\n    x = random.random()", True),
        ("RNG = np.random.default_rng(3)\nX = RNG.normal()\ndef test():\n    x = X", False),
        ("def test():\n    rng = np.random.default_rng(3)\n    x = rng.normal()", False),
        ("def test():\n    random = np.random.default_rng(3)\n    x = random.normal()", False),
        ("import random\ndef test():\n    x = random.Random(3).random()", False),
    ],
)
def test_a_shared_generator_is_reported_and_one_of_ones_own_is_not(source, is_shared):
    assert bool(draws_from_shared(source)) is is_shared


NUMBERS = {1: 44747096, 2: 875487053}


@pytest.mark.parametrize("size", NUMBERS)
def test_each_parameter_of_a_test_has_its_own_numbers(rng, size):
    """Equal alone, after other tests and on every machine, since they are written here."""
    assert rng.integers(10**9) == NUMBERS[size]
