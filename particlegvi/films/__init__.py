"""Films of finished runs: one figure whose artists move, from the first record to the last.

`choosing` finds the figure, `settings` checks what is asked for, `animate` draws the frames, `pace` says which record
every frame shows and for how long; `pictures` writes gif, webp and apng, and `video` mp4 and webm.
"""

from __future__ import annotations

from particlegvi.films.animate import able, film
from particlegvi.films.choosing import figure_for, file_beside
from particlegvi.films.settings import Settings, checked

__all__ = ["Settings", "able", "checked", "figure_for", "file_beside", "film"]
