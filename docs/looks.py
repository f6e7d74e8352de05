"""Draw the pictures of docs/slides.md: `python docs/looks.py`.

`slides-kinds.png` has every kind of figure, each in another look, from short runs. The figure of benchmark tables needs
the data of `docs/data.md`; `python docs/looks.py --slides` draws the three slides alone.
"""

from __future__ import annotations

import io
import sys
from itertools import cycle, product
from pathlib import Path

from PIL import Image

import particlegvi as pg

HERE = Path(__file__).resolve().parent
LOOKS = cycle(product(("light", "dark", "grey"), ("16:9", "4:3", "column")))
SHORT: dict[str, tuple[str, dict[str, object], tuple[str, ...]]] = {  # name: scenario, settings, kinds of figure
    "line": (
        "global-minimiser",
        {"steps": 4000, "step_size": 1e-3},
        ("histograms", "loss", "distance", "trajectories"),
    ),
    "lifted": ("lifting", {}, ("lifting",)),
    "plane": ("multimodal", {"steps": 300}, ("particles",)),
    "minima": ("more-modes", {}, ("buckets",)),
    "modes": ("repulsion-pays", {"replicates": 20, "steps": 5000}, ("coverage",)),
    "functions": ("poisson-bimodal", {"particles": 60}, ("functions",)),
    "ensemble": ("regression-gap", {"steps": 2000, "record_every": 2000}, ("ensemble-line",)),
    "moons": ("two-moons", {"steps": 2000, "record_every": 2000}, ("ensemble-plane",)),
    "weights": ("repulsion-in-weights", {}, ("displacement",)),
    "table": ("uci-function-space-short", {"rows": ["yacht", "heart"], "models": ["linear", "pls"]}, ("scores",)),
}
GRID = {"methods.*.kl_weight": [0.1, 0.3, 1.0, 3.0], "methods.DRLE.mmd_weight": [0.1, 0.5, 2.0]}
WIDTH, HEIGHT, COLUMNS = 620, 400, 5  # of a cell, in pixels


SLIDES: dict[str, tuple[str, int, int, dict[str, object]]] = {  # name: scenario, seed, pixels, look
    "slides-dark": ("global-minimiser", 0, 800, {"size": "16:9", "palette": "dark"}),
    "slides-german": (
        "global-minimiser",
        0,
        800,
        {"size": "4:3", "font_size": 16, "palette": "dark", "language": "de", "title": "Wo bleiben die Partikel?"},
    ),
    "slides-column": ("multimodal", 1, 440, {"size": "column", "palette": "grey"}),
}


def slides() -> None:
    """Draw the three slides of the page."""
    for name, (scenario, seed, width, settings) in SLIDES.items():
        figure = pg.run(scenario, seed=seed, progress=None).plot(**settings)
        with Image.open(io.BytesIO(figure._repr_png_())) as picture:  # type: ignore[attr-defined]
            size = width, round(width * picture.height / picture.width)
            small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
            small.quantize(256, dither=Image.Dither.NONE).save(HERE / f"{name}.png", optimize=True)


def kinds_of_figures() -> None:
    """Draw the sheet of all kinds."""
    drawn = {}
    for scenario, settings, kinds in SHORT.values():
        results = pg.run(scenario, progress=None, **settings)
        drawn.update(dict.fromkeys(kinds, results))
    swept = pg.sweep("global-minimiser", GRID, seeds=3, particles=100, steps=1500, step_size=2e-3, progress=None)
    drawn.update({"heat-map": swept, "lines": swept})
    rows = -(-len(drawn) // COLUMNS)
    sheet = Image.new("RGB", (WIDTH * COLUMNS, HEIGHT * rows), "#808080")
    for place, (kind, (palette, size)) in enumerate(zip(sorted(drawn), LOOKS, strict=False)):
        language = "de" if place % 2 else "en"
        figure = pg.plotting.figure(drawn[kind], kind, palette=palette, size=size, language=language)
        with Image.open(io.BytesIO(figure._repr_png_())) as picture:  # type: ignore[attr-defined]
            picture.thumbnail((WIDTH - 12, HEIGHT - 12), Image.Resampling.LANCZOS)
            left, top = WIDTH * (place % COLUMNS), HEIGHT * (place // COLUMNS)
            sheet.paste(picture, (left + (WIDTH - picture.width) // 2, top + (HEIGHT - picture.height) // 2))
    sheet.quantize(256, dither=Image.Dither.NONE).save(HERE / "slides-kinds.png", optimize=True)


if __name__ == "__main__":
    slides()
    if "--slides" not in sys.argv:
        kinds_of_figures()
