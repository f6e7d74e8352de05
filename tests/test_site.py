"""The site builds without a warning, has every public name and page, and asks no other server for anything."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from .interpreters import python
from .sources import script

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("sphinx", "myst_parser", "sphinx_external_toc", "sphinx_copybutton", "numpydoc", "furo"),
    pytest.mark.needs("sphinx_gallery", "arviz", "pandas", "sklearn"),  # for the examples
]
# The examples are not run again: `tests/test_examples.py` does that. The theme Furo puts all contents on each page,
# which takes half of the time; its own files are looked at in its package.
BUILD = ["-m", "sphinx", "-W", "-q", "-D", "plot_gallery=0", "-D", "html_theme=basic", "-b", "html"]
REQUEST = re.compile(r"""(?:src=["']?|url\(["']?|@import ["']|<link [^>]*rel="stylesheet"[^>]*href=")https?:""")


@pytest.fixture(scope="module")
def site(root, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    python(*BUILD, "docs", folder, cwd=root)
    return folder


def test_every_public_name_is_in_the_reference(root, site):
    from sphinx.util.inventory import InventoryFile

    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, name: name)
    documented = {name for kind, entries in inventory.items() if kind.startswith("py:") for name in entries}
    lines = (root / "docs" / "public-names.txt").read_text(encoding="utf-8").splitlines()
    public = {line.partition("(")[0] for line in lines if line.startswith("pg.")} - {"pg.__version__"}
    # an object with two public names, as pg.Loss and pg.losses.Loss, is found under one of them
    found = {name.rpartition(".")[2] for name in documented} | {page.stem for page in site.rglob("pg*.html")}
    assert len(documented) > 500
    assert not sorted(name for name in public if name not in found and name.rpartition(".")[2] not in found)


def test_every_page_of_the_repository_is_in_the_site(root, site):
    pages = (page.relative_to(root / "docs").with_suffix("") for page in (root / "docs").rglob("*.md"))
    assert set(pages) <= {page.relative_to(site).with_suffix("") for page in site.rglob("*.html")}


def test_every_link_leads_somewhere(root, site, tmp_path):
    check = script(root / "docs" / "site" / "check.py")
    assert list(check.broken_links(site)) == []
    (tmp_path / "index.html").write_text('<a href="index.html">here</a> <a href="fuq.html">nowhere</a>')
    assert list(check.broken_links(tmp_path)) == ["index.html: there is no fuq.html"]  # the control


def test_no_page_asks_another_server(site):
    import furo

    asking = [
        page.as_posix()
        for page in chain(site.rglob("*"), Path(furo.__file__).parent.rglob("*"))
        if page.suffix in {".html", ".css", ".js"} and REQUEST.search(page.read_text(encoding="utf-8", errors="ignore"))
    ]
    assert not asking
    assert REQUEST.search('<script src="https://elsewhere/x.js">') and REQUEST.search("url(https://elsewhere/font)")
    assert (site / "global-minimiser.html").stat().st_size > 50_000  # the live page of the first page
