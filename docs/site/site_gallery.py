"""Takes the package's own figures, which pyplot does not know, and films from an example into its page."""

from __future__ import annotations

import shutil
from pathlib import Path

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_seen: dict[str, set[str]] = {}  # of each example, the names of the figures that its page has


def scrape(_block: tuple, variables: dict, conf: dict) -> str:
    """Save what a block made under a new name: each `Figure` that is no window of pyplot, and each path of a gif."""
    seen = _seen.setdefault(variables["src_file"], set())
    saved = []
    for name, thing in variables["example_globals"].items():
        film = isinstance(thing, Path) and thing.suffix == ".gif"
        if name in seen or not (film or isinstance(thing, Figure)):
            continue
        seen.add(name)
        if isinstance(thing, Figure) and thing.canvas.manager is not None:  # pyplot's, for the other scraper
            continue
        place = Path(next(variables["image_path_iterator"]))
        if film:
            place = place.with_suffix(".gif")
            shutil.copyfile(thing, place)
        else:
            thing.savefig(place)
        saved.append(str(place))
    return figure_rst(saved, conf["src_dir"])


def _get_sg_image_scraper():
    return scrape
