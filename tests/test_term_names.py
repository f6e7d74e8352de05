"""No two terms share the name of their class.

numba's dispatcher tells namedtuples apart by the name of the class and the types of the fields alone: of two terms with
one name, the second would silently run the code of the first.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

COMPILED = {"value", "gradient", "values", "gradients", "slope", "cost_at", "slope_at", "curvature_at"}


def terms(sources: dict[str, str]) -> dict[str, list[str]]:
    """Where each class with methods that are compiled is defined, by its name."""
    found = defaultdict(list)
    for place, source in sources.items():
        if not any(f"def {name}(" in source for name in COMPILED):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and _is_tuple(node, source):
                if COMPILED & {each.name for each in node.body if isinstance(each, ast.FunctionDef)}:
                    found[node.name].append(place)
    return dict(found)


def _is_tuple(node: ast.ClassDef, source: str) -> bool:
    """Whether a class is a NamedTuple, or extends one of the same file."""
    bases = {ast.unparse(base) for base in node.bases}
    others = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.ClassDef) and each.name in bases]
    return "NamedTuple" in bases or any(_is_tuple(other, source) for other in others)


def test_no_two_terms_share_a_name(root: Path):
    sources = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in (root / "particlegvi").rglob("*.py")
    }
    found = terms(sources)
    assert {"Quadratic", "FourGaussians", "SquaredExponential", "Constant", "FormulaTape"} <= found.keys()
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_a_shared_name_is_found():
    direct = "class Ring(NamedTuple):\n    a: float\n    def value(self, x): ..."
    derived = "class _Fields(NamedTuple):\n    a: float\nclass Ring(_Fields):\n    def slope(self, r2): ..."
    plain = "class Ring:\n    def value(self, x): ..."
    assert terms({"one": direct, "two": derived, "three": plain}) == {"Ring": ["one", "two"]}
