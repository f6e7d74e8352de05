"""Films of finished runs: one figure whose artists move, from the first record to the last.

`settings` checks the settings, `animate` finds the figure and draws the frames, and `pace` chooses the record
and the duration of each frame; `pictures` writes gif and webp, and `video` mp4.
"""

from particlegvi.plotting.films.animate import able, figure_for, file_beside, film
from particlegvi.plotting.films.settings import FilmSettings

__all__ = ["FilmSettings", "able", "figure_for", "file_beside", "film"]
