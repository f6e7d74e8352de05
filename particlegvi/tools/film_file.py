"""The path of a film, which a notebook shows with the film inside, so that exported pages have it as well."""

from __future__ import annotations

import base64
import html
from pathlib import Path

LARGEST = 20_000_000  # bytes of a film that is put into a notebook
KINDS = {".mp4": "video/mp4", ".gif": "image/gif", ".webp": "image/webp"}


class FilmFile(type(Path())):  # type: ignore[misc]  # the class of paths of this system
    """A path like any other; in a notebook it is shown as the film."""

    def _repr_html_(self) -> str | None:
        kind = KINDS.get(self.suffix.lower())
        if kind is None or not self.is_file() or self.stat().st_size > LARGEST:
            return None
        data = f"data:{kind};base64,{base64.b64encode(self.read_bytes()).decode()}"
        name = html.escape(self.name, quote=True)
        if kind.startswith("video"):
            return f'<video controls loop muted style="max-width: 100%" title="{name}" src="{data}"></video>'
        return f'<img style="max-width: 100%" alt="{name}" src="{data}">'
