"""Films as pictures: gif and webp, by Pillow, which comes with matplotlib.

Equal frames give equal bytes. A webp holds every pixel as it was drawn; a gif has 256 colours.
"""

from __future__ import annotations

from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import KDTree

from particlegvi.plotting.films.pace import Film

EXACT = 160  # colours of a gif that are exactly those of the figure, the most frequent ones
COLOURS = 256
UNKNOWN = -1


def write_gif(film: Film, file: IO[bytes]) -> None:
    """Write a gif. All frames share one palette, so that still parts do not flicker."""
    colours = Colours(film)
    frames = (colours.picture(frame) for frame in film.frames())
    durations = [10 * ticks for ticks in film.ticks(100)]
    next(frames).save(
        file, "GIF", save_all=True, append_images=frames, duration=durations, loop=film.rounds, optimize=True
    )


class Colours:
    """256 colours for a film: the most frequent ones of four frames, exactly, and others near to all that remain.

    Each pixel gets the nearest colour. (Pillow takes the one nearest to a neighbour, and makes white grey.)
    """

    def __init__(self, film: Film) -> None:
        last = len(film.seconds) - 1
        sample = Image.fromarray(np.concatenate([film.frame(last * part // 3) for part in range(4)]))
        counted = sample.getcolors(sample.width * sample.height) or []
        frequent = [colour for _, colour in sorted(counted, key=lambda each: (-each[0], each[1]))[:EXACT]]
        others = sample.quantize(COLOURS - len(frequent), dither=Image.Dither.NONE).getpalette() or []
        chosen = np.concatenate([np.array(frequent).ravel(), others[: 3 * (COLOURS - len(frequent))]])
        self._palette = chosen.astype(np.uint8).reshape(-1, 3)
        self._near = KDTree(self._palette)
        self._known = np.full(1 << 24, UNKNOWN, dtype=np.int16)  # the palette's number of every colour met so far

    def picture(self, frame: NDArray[np.uint8]) -> Image.Image:
        """A frame in these colours."""
        red, green, blue = np.moveaxis(frame.astype(np.int32), 2, 0)
        codes = (red << 16) | (green << 8) | blue
        numbers = self._known[codes]
        new = np.unique(codes[numbers == UNKNOWN])
        if len(new):
            self._known[new] = self._near.query(np.stack([new >> 16, (new >> 8) & 255, new & 255], axis=1))[1]
            numbers = self._known[codes]
        picture = Image.fromarray(numbers.astype(np.uint8), "P")
        picture.putpalette(self._palette.tobytes())
        return picture


def write_webp(film: Film, file: IO[bytes]) -> None:
    """Write a webp without loss."""
    frames = (Image.fromarray(frame) for frame in film.frames())
    next(frames).save(
        file, "WEBP", save_all=True, append_images=frames, duration=film.ticks(1000), loop=film.rounds,
        lossless=True, method=2,
    )  # fmt: skip
