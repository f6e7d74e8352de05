"""The digest that names the folder of compiled code covers all that is compiled, and leaves out only what is not."""

from __future__ import annotations

import ast

from ...test_layers import COMPILED
from ...test_rules import METHODS


def compiles(source: str) -> bool:
    """Whether a file defines a term, or a function for numba."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    methods = {each.name for node in classes for each in node.body if isinstance(each, ast.FunctionDef)}
    return bool(methods & METHODS) or "numerics.compiled" in source


def constant(root, name):
    """A constant of the module that computes the digest."""
    source = (root / "particlegvi" / "engine" / "numerics" / "compiled.py").read_text(encoding="utf-8")
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    (found,) = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name]
    return found


def test_the_digest_covers_all_that_is_compiled(root):
    assert set(constant(root, "SOURCES")) >= COMPILED


def test_what_the_digest_leaves_out_compiles_nothing(root):
    package = root / "particlegvi"
    files = [
        path for name in constant(root, "NEVER_COMPILED") for path in [package / name, *(package / name).glob("*.py")]
    ]
    plain = [path for path in files if path.is_file() and path.name != "loss.py"]  # Loss calls terms and is none
    assert len(plain) > 10
    assert [path.name for path in plain if compiles(path.read_text(encoding="utf-8"))] == []
    assert compiles((package / "losses" / "ring.py").read_text(encoding="utf-8"))
    assert compiles((package / "priors" / "normal.py").read_text(encoding="utf-8"))
