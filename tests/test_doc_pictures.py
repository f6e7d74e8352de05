"""Each picture of the repository is drawn by a command, and each of those outside of the gallery is on a page."""

from __future__ import annotations

from pathlib import Path

from particlegvi.scenario import catalogue

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
