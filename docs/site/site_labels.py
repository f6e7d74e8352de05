"""Gives parts of the theme that screen readers announce the labels and levels that they lack."""

from __future__ import annotations

from pathlib import Path

LABELS = {
    'role="heading">': 'role="heading" aria-level="2">',  # captions of the contents
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents of the site">',
    '<aside class="toc-drawer': '<aside aria-label="Contents of this page" class="toc-drawer',
}


def label(app, failed: Exception | None) -> None:
    if failed or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = old = page.read_text(encoding="utf-8")
        for without, labelled in LABELS.items():
            text = text.replace(without, labelled)
        if text != old:
            page.write_text(text, encoding="utf-8")


def setup(app) -> dict[str, bool]:
    app.connect("build-finished", label)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
