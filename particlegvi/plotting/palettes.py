"""The colours of figures on a light ground, on a dark one, and in greys that any printer tells apart.

The hues are those of Okabe and Ito (2008), which colour-blind eyes tell apart; on a dark ground they have more light.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
LOSS_GREY, TEXT_GREY = "#9A9A9A", "#4D4D4D"


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
    functions: tuple[str, ...]  # fits of functions
    gap: str  # intervals without data
    lettering: float  # factor from the colour of a method to that of its words: below 1 darker, above 1 lighter
    lightness: tuple[float, float]  # CIE L* of the smallest and the largest of several weights of one method
    patterned: bool = False  # whether lines of several methods in one panel also differ in their dashes


LIGHT = Palette(
    ground="#FFFFFF",
    ink=BLACK,
    words=TEXT_GREY,
    faint=LOSS_GREY,
    particles="#6E6E6E",
    starting="#8C8C8C",
    contour="#B4B4B4",
    shades=(0.99, 0.87),
    minimiser=ORANGE,
    signs=(BLUE, ORANGE),
    # Sky blue for FD-GVI: purple and green, of figures that show it with DRLE, are close to a colour-blind eye.
    methods={"DE": VERMILLION, "DLE": BLUE, "DRLE": GREEN, "DRE": ORANGE, "FDGVI": SKY},
    spare=(PURPLE, ORANGE, SKY, GREEN, BLUE, VERMILLION, YELLOW),
    functions=(BLUE, GREEN, PURPLE, VERMILLION, SKY),
    gap="#F2E3C6",
    lettering=0.75,
    lightness=(80.0, 22.0),
)
_AMBER, _AZURE, _MINT, _CORAL, _ROSE, _ICE = "#F5B94A", "#4FA8E8", "#3FC49A", "#FF8A4D", "#E3A3C4", "#A6D8F5"
DARK = Palette(
    ground="#15181C",
    ink="#F4F4F2",
    words="#C2C6CB",
    faint="#7D848C",
    particles="#A9AEB4",
    starting="#8A9097",
    contour="#4E555D",
    shades=(0.115, 0.235),
    minimiser=_AMBER,
    signs=(_AZURE, _AMBER),
    methods={"DE": _CORAL, "DLE": _AZURE, "DRLE": _MINT, "DRE": _AMBER, "FDGVI": _ICE},
    spare=(_ROSE, _AMBER, _ICE, _MINT, _AZURE, _CORAL, YELLOW),
    functions=(_AZURE, _MINT, _ROSE, _CORAL, _ICE),
    gap="#39342A",
    lettering=1.25,
    lightness=(38.0, 90.0),
)
GREY = Palette(
    ground="#FFFFFF",
    ink=BLACK,
    words=TEXT_GREY,
    faint="#A6A6A6",
    particles="#6E6E6E",
    starting="#A0A0A0",
    contour="#BEBEBE",
    shades=(0.99, 0.88),
    minimiser="#E0E0E0",
    signs=("#3A3A3A", "#A3A3A3"),
    methods={"DE": "#8A8A8A", "DLE": "#4A4A4A", "DRLE": "#6B6B6B", "DRE": "#A8A8A8", "FDGVI": "#BDBDBD"},
    spare=("#2E2E2E", "#9B9B9B", "#5C5C5C", "#B5B5B5", "#7B7B7B", "#C8C8C8", "#3C3C3C"),
    functions=("#4A4A4A", "#8A8A8A", "#6B6B6B", "#A8A8A8", "#2E2E2E"),
    gap="#EBEBEB",
    lettering=0.6,
    lightness=(80.0, 22.0),
    patterned=True,
)
PALETTES = {"light": LIGHT, "dark": DARK, "grey": GREY}


def channels(colour: str) -> list[float]:
    """Red, green and blue of "#RRGGBB" in linear light, from 0 to 1 (IEC 61966-2-1)."""
    values = (int(colour[place : place + 2], 16) / 255.0 for place in (1, 3, 5))
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def lightness(colour: str) -> float:
    """CIE L* of a colour, from 0 (black) to 100 (white): what is left of it in grey."""
    light = luminance(channels(colour))
    return 116.0 * light ** (1 / 3) - 16.0 if light > (6 / 29) ** 3 else light * (29 / 3) ** 3


def luminance(linear: list[float]) -> float:
    """CIE Y of linear red, green and blue."""
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def at_lightness(colour: str, wanted: float) -> str:
    """A colour of this hue with the given CIE L*: mixed with white, or with less light."""
    linear = channels(colour)
    there = luminance(linear)
    light = ((wanted + 16.0) / 116.0) ** 3 if wanted > 8.0 else wanted * (3 / 29) ** 3
    if light >= there:
        share = (light - there) / (1.0 - there) if there < 1.0 else 0.0
        mixed = [value + share * (1.0 - value) for value in linear]
    else:
        mixed = [value * light / there for value in linear]
    return "#" + "".join(f"{round(255.0 * _encoded(value)):02X}" for value in mixed)


def _encoded(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
