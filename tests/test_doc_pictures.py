"""Each picture of the repository is drawn by a command, and each of those outside of the gallery is on a page."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from particlegvi.scenario import catalogue

from .sources import script

# The program that draws a picture; the gallery has those of plots/, and films.md the commands of its films.
DRAWN_BY = {
    "docs/house.png": "docs/house.py",
    "docs/posteriors.png": "benchmarks/rivals_on_posteriors.py",
    "docs/repulsion-region.png": "benchmarks/repulsion_search.py",
    "docs/slides-column.png": "docs/looks.py",
    "docs/slides-dark.png": "docs/looks.py",
    "docs/slides-german.png": "docs/looks.py",
    "docs/slides-kinds.png": "docs/looks.py",
    "docs/ten-lines.png": "docs/ten-lines.md",
    "docs/verify-dre-invariant.png": "docs/verify_dre_invariant.py",
    "docs/theory/chain.png": "docs/theory/pictures.py",
    "docs/theory/free-energy.png": "docs/theory/pictures.py",
    "docs/theory/growing-sets.png": "docs/theory/pictures.py",
    "docs/theory/lifting.png": "docs/theory/pictures.py",
    "docs/theory/one-coefficient.png": "docs/theory/pictures.py",
    "benchmarks/scaling.png": "benchmarks/bench/report.py",
    "benchmarks/search-path.png": "benchmarks/search_path.py",
    "benchmarks/stationary-bias.png": "benchmarks/stationary_bias.py",
    "benchmarks/uci-eigenvalues.png": "benchmarks/uci_eigenvalues.py",
}
BUILT = {"auto_examples", "reference", "html"}  # folders that a build of the site leaves
FILMS = {"global-minimiser.gif", "multimodal.gif"}  # tests/plotting/films/test_command.py has their commands


def test_every_picture_has_a_program(root):
    pictures = [path for place in ("docs", "benchmarks") for path in (root / place).rglob("*.png")]
    found = {path.relative_to(root).as_posix() for path in pictures if not {*path.parts} & BUILT}
    assert found == set(DRAWN_BY)
    for picture, program in DRAWN_BY.items():
        assert Path(picture).stem in (root / program).read_text(encoding="utf-8"), picture
    names = sorted(catalogue.names(), key=len)
    gallery = {path.name for path in (root / "plots").iterdir()}
    assert not [name for name in gallery - FILMS if not name.endswith(".png") or not name.startswith(tuple(names))]


def test_every_picture_is_on_a_page(root):
    pages = [*(root / "docs").rglob("*.md"), root / "benchmarks" / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert [picture for picture in DRAWN_BY if f"{Path(picture).name})" not in text] == []


def pixels(picture: str | Path | io.BytesIO) -> np.ndarray:
    with Image.open(picture) as image:
        return np.asarray(image.convert("RGB").resize((300, 200)), dtype=float)


@pytest.mark.thorough
def test_the_pictures_of_the_theory_are_those_that_are_drawn(root):
    """Letters may have other edges elsewhere; another curve is farther away, as that of another picture."""
    drawn, stored = {}, {}
    for name, figure in script(root / "docs" / "theory" / "pictures.py").PICTURES.items():
        file = io.BytesIO()
        figure().savefig(file, dpi=130)
        drawn[name], stored[name] = pixels(file), pixels(root / "docs" / "theory" / f"{name}.png")
    away = {(a, b): np.abs(drawn[a] - stored[b]).mean() for a in drawn for b in stored}
    assert max(away[name, name] for name in drawn) < 1.0
    assert min(distance for (a, b), distance in away.items() if a != b) > 4.0
