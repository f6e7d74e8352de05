"""A page as one text: the assets in a fixed order, the content as data, and a policy that forbids every request."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import os
from collections.abc import Mapping
from pathlib import Path
from string import Template

from particlegvi.contracts import Facts
from particlegvi.pages.colours import sheet
from particlegvi.tools import files, words
from particlegvi.tools.quoting import refuse

ASSETS = Path(__file__).parent / "assets"
ENGINE = {  # by the subject of the pages that need them
    "shared": ("noise", "limit", "checks"),
    "particles": (
        "formula", "rows", "tape", "priors", "repulsion", "jumps", "flow", "solver", "convolution",
        "target", "target_plane", "distances", "basins", "problem", "chance", "wells", "records", "minima", "evidence",
        "verdict", "answers",
    ),
    "functions": ("process",),
}  # fmt: skip
VIEW = {
    "shared": ("say", "layout"),
    "particles": (
        "worker", "line", "plane", "panels", "controls", "address", "ensembles", "motion", "live", "replay",
    ),
    "functions": ("curves", "by_hand", "functions_table", "functions"),
    "last": ("main",),
}  # fmt: skip
LARGEST = 500_000  # bytes, so that a page can be sent by mail and opened on a phone
FRAME_HEIGHT = 760  # pixels of the frame in a notebook


class Page:
    """A page: `save` writes it, and a notebook shows it in a frame that may run its own script and nothing else.

    Attributes
    ----------
    html : str
        The whole page.
    """

    def __init__(self, text: str, title: str) -> None:
        self.html = text
        self.title = title

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write the page and return its path."""
        place = files.place("path", path, "a file")
        if place.is_dir():
            raise ValueError(f"path must be that of a file, not of the folder {place}")
        if place.exists() and not overwrite:
            raise ValueError(f"{place} exists; it is replaced only where overwriting is allowed")
        try:
            files.write_text(place, self.html)
        except OSError as error:
            raise ValueError(f"{place} cannot be written: {error.strerror}") from None
        return place

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{source}" sandbox="allow-scripts" width="100%" height="{FRAME_HEIGHT}"'
            f' style="border: 0" title="{html.escape(self.title, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page {self.title!r}, {len(self.html.encode()):,} bytes>"


@functools.cache
def engine() -> str:
    """The engine in JavaScript: no document and no window, testable alone."""
    return _joined("engine", ENGINE, *ENGINE)


@functools.cache
def _script(subject: str) -> str:
    """Engine and view of a subject without indents and comment lines, which are a fifth of the letters.

    No string in the code may span two lines.
    """
    code = _joined("engine", ENGINE, "shared", subject) + _joined("view", VIEW, "shared", subject, "last")
    lines = (line.strip() for line in code.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


def _joined(folder: str, files: Mapping[str, tuple[str, ...]], *subjects: str) -> str:
    names = [name for subject in subjects for name in files[subject]]
    return "".join((ASSETS / folder / f"{name}.js").read_text(encoding="utf-8") for name in names)


def build(content: Facts, language: str = words.DEFAULT) -> Page:
    """The page of a content (`particlegvi.pages.content`)."""
    said = words.of(language)
    rules, names = sheet(content["colours"])
    style = (ASSETS / "view" / "page.css").read_text(encoding="utf-8") + rules
    script = _script("functions" if "functions" in content else "particles")
    title = str(content["title"])
    pieces = {
        "language": language,
        "title": html.escape(title),
        "no_script": html.escape(said("page.no_script")),
        "script_digest": _digest(script),
        "style_digest": _digest(style),
        "style": style,
        "data": _as_data({**content, "colours": names}),
        "script": script,
    }
    text = Template((ASSETS / "view" / "page.html").read_text(encoding="utf-8")).substitute(pieces)
    if "replay" in content and len(text.encode()) > LARGEST:
        frames = len(content["replay"]["times"])
        fit = max(2, int(frames * (LARGEST - len(text.encode()) + len(pieces["data"])) / len(pieces["data"])))
        raise refuse("frames", frames, f"at most {fit}, so that the page has no more than {LARGEST:,} bytes")
    return Page(text, title)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _as_data(content: Facts) -> str:
    """JSON for a script element: no text in it can end the script or start a comment."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
