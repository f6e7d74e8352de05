"""Writes the reference: a page for each public module, with every name that `docs/public_names.py` finds in it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from docutils import nodes
from public_names import members, public
from sphinx.roles import XRefRole

import particlegvi

FOLDER = Path(__file__).parent.parent / "reference"
TOP = "The names of `pg` itself, `import particlegvi as pg`."


def heading(words: str, line: str = "=") -> list[str]:
    return [words, line * len(words), ""]


def first_sentence(thing: object) -> str:
    words = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return words.split(". ")[0].rstrip(".:") + "." if words else ""


def modules(module: ModuleType, path: str) -> Iterator[tuple[str, ModuleType]]:
    """The public modules below a public module, by their public path."""
    for name in public(module):
        below = getattr(module, name)
        if isinstance(below, ModuleType):
            yield f"{path}.{name}", below
            if hasattr(below, "__all__"):
                yield from modules(below, f"{path}.{name}")


def entry(path: str, thing: object, again: bool) -> list[str]:
    """The directive of one name. Links lead to the first place of an object that has two."""
    full = path.replace("pg.", "particlegvi.", 1)
    options = ["   :no-index:"] if again else []
    if isinstance(thing, type):
        if thing.__name__ != path.rpartition(".")[2]:
            return [f".. py:data:: {full}", "", f"   Another name of ``{thing.__name__}``.", ""]
        own = [line.removeprefix(f"{path}.").partition("(")[0] for line in members(thing, path)]
        listed = [f"   :members: {', '.join(own)}", "   :undoc-members:"] if own else []
        return [f".. autoclass:: {full}", *listed, *options, ""]
    if callable(thing):
        return [f".. autofunction:: {full}", *options, ""]
    listed = f"One of {', '.join(f'``{key}``' for key in thing)}." if isinstance(thing, Mapping) else ""
    return [f".. py:data:: {full}", *options, "", f"   {listed}", ""]  # its docstring is that of its class


def page(path: str, module: ModuleType, words: str, seen: set[int]) -> list[str]:
    lines = [*heading(path), words, ""]
    for name in public(module):
        thing = getattr(module, name)
        if not isinstance(thing, ModuleType) and not name.startswith("__"):
            lines += entry(f"{path}.{name}", thing, id(thing) in seen)
            if getattr(thing, "__name__", name) == name:  # not an alias
                seen.add(id(thing))
    return lines


def write(name: str, lines: list[str]) -> None:
    """Only where something changed: Sphinx reads changed files again."""
    place, text = FOLDER / f"{name}.rst", "\n".join(lines) + "\n"
    FOLDER.mkdir(exist_ok=True)
    if not place.exists() or place.read_text(encoding="utf-8") != text:
        place.write_text(text, encoding="utf-8")


def write_pages(_app: object = None) -> None:
    """Every page, and the list of them."""
    seen: set[int] = set()
    write("pg", page("pg", particlegvi, TOP, seen))
    contents = [*heading("Reference"), f"- :doc:`pg`: {TOP}"]
    for path, module in sorted(modules(particlegvi, "pg")):
        if hasattr(module, "__all__"):
            words = first_sentence(module)
            write(path, page(path, module, words, seen))
            contents.append(f"- :doc:`{path}`: {words}")
    write("index", contents)


def name_or_code(role, rawtext, text, *rest):
    """The role of a word between single backticks: a link where it looks like a name of the package, else code."""
    if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+|[A-Z][a-z]+[A-Z]\w*", text):
        return XRefRole()("py:obj", rawtext, text, *rest)
    return [nodes.literal(rawtext, text)], []


def setup(app) -> dict[str, bool]:
    app.add_role("name", name_or_code)
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
