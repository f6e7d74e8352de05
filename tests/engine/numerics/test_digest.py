"""The digest that names the folder of compiled code covers all that is compiled, and leaves out only what is not."""

from __future__ import annotations

import ast

import pytest

from ...sources import imports, modules
from ...test_layers import COMPILED, DECORATORS
from ...test_rules import METHODS


def compiles(source: str) -> bool:
    """Whether a file defines a term, or a function for numba."""
    tree = ast.parse(source)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    classes = [node for node in classes if "Protocol" not in {ast.unparse(base) for base in node.bases}]
    methods = {each.name for node in classes for each in node.body if isinstance(each, ast.FunctionDef)}
    return bool(methods & METHODS) or any(name in DECORATORS for _, name, _ in imports(source, ""))


def constant(root, name):
    """A constant of the module that computes the digest."""
    source = (root / "particlegvi" / "engine" / "numerics" / "compiled.py").read_text(encoding="utf-8")
    assigned = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    (found,) = [ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name]
    return found


def test_the_digest_covers_all_that_is_compiled(root):
    assert set(constant(root, "SOURCES")) >= COMPILED


def left_out(root):
    package = root / "particlegvi"
    names = constant(root, "NEVER_COMPILED")
    return [path for name in names for path in [package / name, *(package / name).glob("*.py")] if path.is_file()]


def constants_from(source, module, plain):
    """The constants, in capitals, that a module takes from plain ones."""
    names = [name for _, name, _ in imports(source, module)]
    taken = [name for name in names if name.rpartition(".")[0] in plain and name.rpartition(".")[2].isupper()]
    tails = {name.rpartition(".")[2] for name in names if name in plain}
    used = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute) and node.attr.isupper()]
    return taken + [ast.unparse(node) for node in used if ast.unparse(node.value) in tails]


@pytest.mark.thorough
def test_compiled_code_reads_no_constant_of_what_the_digest_leaves_out(root):
    every = modules(root)
    plain = {module for path, module, _ in every if path in left_out(root)}
    sources = {module: path.read_text(encoding="utf-8") for path, module, _ in every if module not in plain}
    found = {module: constants_from(source, module, plain) for module, source in sources.items() if compiles(source)}
    assert len(found) > 60 and {module: names for module, names in found.items() if names} == {}
    threads = "particlegvi.engine.numerics.threads"
    assert constants_from(f"from {threads} import LEAST, split", "p.a", {threads}) == [f"{threads}.LEAST"]
    used = "from particlegvi.engine.numerics import threads\nx = threads.LEAST + threads.split"
    assert constants_from(used, "p.a", {threads}) == ["threads.LEAST"]


def test_what_the_digest_leaves_out_compiles_nothing(root):
    package = root / "particlegvi"
    plain = [path for path in left_out(root) if path.name != "loss.py"]  # Loss calls terms and is none
    assert len(plain) > 20
    assert [path.name for path in plain if compiles(path.read_text(encoding="utf-8"))] == []
    assert compiles((package / "losses" / "ring.py").read_text(encoding="utf-8"))
    assert compiles((package / "priors" / "normal.py").read_text(encoding="utf-8"))
