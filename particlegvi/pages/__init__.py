"""Pages for students: one html file without a server, in which particles move.

`content` says what a page knows (settings, truth, words), `replay` packs the records of a run, `building` puts both and
the assets into one text. ``assets/engine/`` is the engine again, in JavaScript without a document, so that it can be
tested alone; ``assets/view/`` shows it. `particlegvi.runs.pages` is the way in.
"""

from particlegvi.pages.building import Page, build

__all__ = ["Page", "build"]
