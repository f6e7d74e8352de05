"""The colours of figures on a light ground, on a dark one, and in greys that any printer tells apart.

The hues are those of Okabe and Ito (2008), which colour-blind eyes tell apart; on a dark ground they have more light.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from particlegvi.settings import colours


class Palette(NamedTuple):
    """The colours of a figure by their purpose."""

    ground: str  # the picture
    ink: str  # black and white: axes, words, the truth
    words: str  # words of less weight
    faint: str  # curves that stand behind, such as the loss
    particles: str  # of any method, in a legend
    starting: str  # starting points
    contour: str  # level lines of a loss
    shades: tuple[float, float]  # lightness of the plane, from 0 to 1, where the loss is lowest and where it is highest
    minimiser: str  # marks at the minimisers of a loss
    signs: tuple[str, str]  # functions that are positive and negative at an input
    methods: Mapping[str, str]  # the colour of each known method
    spare: tuple[str, ...]  # other methods
    gap: str  # intervals without data
    patterned: bool = False  # whether lines of several methods in one panel also differ in their dashes


LIGHT = Palette(
    ground="#FFFFFF",
    ink=colours.BLACK,
    words=colours.TEXT_GREY,
    faint=colours.LOSS_GREY,
    particles="#6E6E6E",
    starting="#8C8C8C",
    contour="#B4B4B4",
    shades=(0.99, 0.87),
    minimiser=colours.YELLOW,
    signs=(colours.BLUE, colours.ORANGE),
    methods=colours.of_methods("light"),
    spare=(
        colours.PURPLE,
        colours.ORANGE,
        colours.SKY,
        colours.GREEN,
        colours.BLUE,
        colours.VERMILLION,
        colours.YELLOW,
    ),
    gap="#F2E3C6",
)
DARK = Palette(
    ground="#15181C",
    ink="#F4F4F2",
    words="#C2C6CB",
    faint="#7D848C",
    particles="#A9AEB4",
    starting="#8A9097",
    contour="#4E555D",
    shades=(0.115, 0.235),
    minimiser=colours.YELLOW,
    signs=(colours.AZURE, colours.AMBER),
    methods=colours.of_methods("dark"),
    spare=(colours.ROSE, colours.AMBER, colours.ICE, colours.MINT, colours.AZURE, colours.CORAL, colours.YELLOW),
    gap="#39342A",
)
GREY = Palette(
    ground="#FFFFFF",
    ink=colours.BLACK,
    words=colours.TEXT_GREY,
    faint="#A6A6A6",
    particles="#6E6E6E",
    starting="#A0A0A0",
    contour="#BEBEBE",
    shades=(0.99, 0.88),
    minimiser="#E0E0E0",
    signs=("#3A3A3A", "#A3A3A3"),
    methods=colours.of_methods("grey"),
    spare=("#2E2E2E", "#9B9B9B", "#5C5C5C", "#B5B5B5", "#7B7B7B", "#C8C8C8", "#3C3C3C"),
    gap="#EBEBEB",
    patterned=True,
)
PALETTES = {"light": LIGHT, "dark": DARK, "grey": GREY}
