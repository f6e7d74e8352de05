"""Takes the pages beside docs/ into the site, turns links to them, and shows a live page on the first page."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUTSIDE = {"CHANGELOG.md": "changelog", "CONTRIBUTING.md": "contributing", "benchmarks/README.md": "benchmarks"}
EXAMPLES = ROOT / "docs" / "examples"  # their pages are made beside them
FRONT = ROOT / "README.md"  # its place in the site is the first page
LIVE = "global-minimiser"


def rebased(text: str, old: Path, new: Path) -> str:
    """The Markdown ``text`` of the folder ``old`` as the folder ``new`` must have it."""

    def turned(link: re.Match) -> str:
        address, _, anchor = link[1].partition("#")
        if not address or "://" in address:
            return link[0]
        place = Path(os.path.normpath(old / address))
        inside = OUTSIDE.get(place.relative_to(ROOT).as_posix())
        if place == FRONT:
            place = ROOT / "docs" / "index.md"
        elif place == EXAMPLES:
            place = ROOT / "docs" / "auto_examples" / "index.rst"
        elif inside:
            place = ROOT / "docs" / "reference" / f"{inside}.md"
        return f"]({os.path.relpath(place, new)}{'#' * bool(anchor)}{anchor})"

    return re.sub(r"\]\(([^)\s]+)\)", turned, text)


def copy_pages(_app: object = None) -> None:
    for name, word in OUTSIDE.items():
        page, copy = ROOT / name, ROOT / "docs" / "reference" / f"{word}.md"
        text = rebased(page.read_text(encoding="utf-8"), page.parent, copy.parent)
        copy.parent.mkdir(exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def make_live_page(app) -> None:
    """One live page of the package, in the folder of the site."""
    place = Path(app.outdir) / f"{LIVE}.html"
    if not place.exists():
        import particlegvi as pg

        place.parent.mkdir(parents=True, exist_ok=True)
        pg.page(LIVE).save(place)


def turn_links(app, name: str, source: list[str]) -> None:
    page = ROOT / "docs" / f"{name}.md"
    if page.exists() and not name.startswith("reference/"):
        source[0] = rebased(source[0], page.parent, page.parent)
    if name == "index":
        frame = f'<iframe class="live" src="{LIVE}.html" title="A live page: particles of DE, DLE and DRLE"></iframe>'
        source[0] = re.sub(r"!\[A film.*\)\n", f"```{{raw}} html\n{frame}\n```\n", source[0])


def setup(app) -> dict[str, bool]:
    app.connect("builder-inited", copy_pages, priority=100)
    app.connect("builder-inited", make_live_page)
    app.connect("source-read", turn_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
