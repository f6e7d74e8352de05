"""Pictures of a figure that moves, one after the other, at a size in pixels."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from numpy.typing import NDArray

from particlegvi.plotting.moving import Moving
from particlegvi.plotting.style import slide_style

GROUND = 0.5  # artists of at most this zorder (contours, ticks) never move


class Camera:
    """Takes pictures of a figure that moves; each equals a drawing of the whole figure, pixel for pixel.

    The layout is computed once, as for the picture of the figure itself. Everything around the panels and below the
    moving artists is drawn once, because words take most of the time of a picture. The figure is as it was built, at
    its last record; the width of the pictures is in pixels.
    """

    def __init__(self, moving: Moving, width: int) -> None:
        figure = moving.figure
        self._canvas = FigureCanvasAgg(figure)
        figure.set_dpi(width / figure.get_figwidth())
        # Axes behind a panel, such as those of the loss, never move.
        panels = [axes for axes in figure.axes if axes.get_visible() and axes.get_zorder() >= 0]
        self._above = [artist for axes in panels for artist in contents(axes)] + [moving.clock]
        with slide_style():
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            seen = [artist for artist in self._above if artist.get_visible()]
            for artist in seen:
                artist.set_visible(False)
            self._canvas.draw()
            self._below = self._canvas.copy_from_bbox(figure.bbox)
            for artist in seen:
                artist.set_visible(True)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures."""
        width, height = self._canvas.get_width_height()
        return width, height

    def picture(self) -> NDArray[np.uint8]:
        """The figure as it is now, (height, width, 3)."""
        renderer = self._canvas.get_renderer()
        with slide_style():
            self._canvas.restore_region(self._below)
            for artist in self._above:
                artist.draw(renderer)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()


def contents(axes: Axes) -> list[Artist]:
    """The artists of a panel above its ground, in the order in which they are drawn."""
    titles = [each for each in axes.get_children() if isinstance(each, Text) and each not in axes.texts]
    around = [axes.patch, axes.xaxis, axes.yaxis, *titles]
    inside = [each for each in axes.get_children() if each not in around and each.get_zorder() > GROUND]
    return sorted(inside, key=Artist.get_zorder)
