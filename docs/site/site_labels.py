"""Gives the pages what a keyboard or a screen reader needs and the theme lacks: labels, levels, places to stop."""

from __future__ import annotations

import re
from pathlib import Path

LABELS = {
    'role="heading">': 'role="heading" aria-level="2">',  # captions of the contents
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents of the site">',
    '<aside class="toc-drawer': '<aside aria-label="Contents of this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',  # what scrolls can be reached by the keyboard
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<div class="math">': '<div tabindex="0" class="math">',
    '<th class="head"><p></p></th>': '<td class="head"></td>',  # a corner of a table is no heading
    '<div id="search-results"></div>': '<h1>Search</h1><div id="search-results" ></div>',
}
# In the gallery the words of a link are hidden, and shown below the picture.
THUMBNAIL = re.compile(
    r'<a class="reference internal" (href="plot_\w+\.html"><span class="[\w -]+">([^<]*)</span></a></p>)'
)


def label(app, failed: Exception | None) -> None:
    if failed or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = old = page.read_text(encoding="utf-8")
        for without, labelled in LABELS.items():
            text = text.replace(without, labelled)
        text = THUMBNAIL.sub(r'<a class="reference internal" aria-label="\2" \1', text)
        if text != old:
            page.write_text(text, encoding="utf-8")


def setup(app) -> dict[str, bool]:
    app.connect("build-finished", label)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
