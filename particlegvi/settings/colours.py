"""One method, one colour: the table that figures, films and pages share, and the colours of methods it does not name.

The hues are those of Okabe and Ito (2008), which colour-blind eyes tell apart, with a purple-red, a teal and a brown.
Two methods of the table share a colour only if one moves particles and the other is a model of functions, so that
no figure shows both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
WINE, BROWN, TEAL = "#AA3377", "#8A5A2B", "#44AA99"
AMBER, AZURE, MINT, CORAL = "#F5B94A", "#4FA8E8", "#3FC49A", "#FF8A4D"
LOSS_GREY, TEXT_GREY = "#9A9A9A", "#4D4D4D"  # of curves that stand behind, and of words of less weight
ROSE, ICE, CLARET, SAND, AQUA = "#E3A3C4", "#A6D8F5", "#D0608F", "#C9A27C", "#7FD6C8"

HUES: dict[str, dict[str, str]] = {  # of names, by the ground
    "light": {"red": VERMILLION, "blue": BLUE, "green": GREEN, "orange": ORANGE, "sky": SKY, "purple": PURPLE,
              "wine": WINE, "brown": BROWN, "teal": TEAL},
    "dark": {"red": CORAL, "blue": AZURE, "green": MINT, "orange": AMBER, "sky": ICE, "purple": ROSE,
             "wine": CLARET, "brown": SAND, "teal": AQUA},
    "grey": {"red": "#8A8A8A", "blue": "#4A4A4A", "green": "#6B6B6B", "orange": "#9C9C9C", "sky": "#B0B0B0",
             "purple": "#2E2E2E", "wine": "#3C3C3C", "brown": "#7B7B7B", "teal": "#5C5C5C"},
}  # fmt: skip
# Sky blue for FD-GVI: purple and green, of figures that show it with DRLE, are close to a colour-blind eye. Orange is
# free among models of functions, where it marks functions that are negative at an input.
METHODS = {
    "DE": "red", "DLE": "blue", "DRE": "orange", "DRLE": "green", "FDGVI": "sky",
    "SVGD": "purple", "MMDFLOW": "wine",
    "PLS": "blue", "SVGP": "green", "GP": "purple", "GWI": "red", "BLR": "sky", "SOR": "brown",
}  # fmt: skip
LIGHTNESS = {"light": (61.0, 22.0), "dark": (42.0, 90.0), "grey": (61.0, 22.0)}  # CIE L*: 3 to 1 on the ground, and far
LETTERING = {"light": 0.75, "dark": 1.25, "grey": 0.6}  # factor from a colour to that of its words: darker, or lighter

NEAR_INK = 13  # of seventeen levels: darker ones, on a dark ground lighter ones, look like the ink


def key(name: str) -> str:
    """A name of a method as the table has it: "FDGVI" for "FD-GVI"."""
    return "".join(letter for letter in name.upper() if letter.isalnum())


def of_methods(ground: str = "light") -> dict[str, str]:
    """The colour of every method of the table."""
    return {name: HUES[ground][hue] for name, hue in METHODS.items()}


def assigned(
    names: Mapping[str, str],
    ground: str = "light",
    given: Mapping[str, str] | None = None,
    weights: Mapping[str, tuple[float, float]] | None = None,
) -> dict[str, str]:
    """A colour for each label: that of its method, in a shade of its own where the method is there more than once.

    A method that the table does not name gets the hue that is farthest from all others in use. Of runs of one method at
    several weights, the larger weight is the farther from the ground, also in grey.

    ``names`` has the method of each label, ``given`` the colours that labels have already, and ``weights`` kl_weight
    and mmd_weight of each label. The ground is "light", "dark" or "grey".
    """
    table, chosen = (
        of_methods(ground),
        {label: own_colour for label, own_colour in (given or {}).items() if label in names},
    )
    groups: dict[str, list[str]] = {}
    for label, name in names.items():
        groups.setdefault(key(name), []).append(label)
    own = {name: chosen.get(labels[0]) or table.get(name) for name, labels in groups.items()}
    for name in groups:
        used = [colour for colour in own.values() if colour]
        own[name] = own[name] or farthest(list(HUES[ground].values()), used)
    shaded: dict[str, str] = {}
    for name, labels in groups.items():
        shaded |= dict(zip(labels, shades(str(own[name]), labels, ground, weights or {}), strict=True))
    return {label: chosen.get(label, shaded[label]) for label in names}


def farthest(candidates: Sequence[str], used: Sequence[str]) -> str:
    """The candidate whose nearest colour among those in use is farthest away."""
    return max(candidates, key=lambda candidate: min((distance(candidate, other) for other in used), default=0.0))


def shades(own: str, labels: Sequence[str], ground: str, weights: Mapping[str, tuple[float, float]]) -> list[str]:
    """A shade of one hue for each label; the colour itself is among them."""
    first, last = LIGHTNESS[ground]
    levels: dict[tuple[float, float], float] = {}
    several = sorted({weights[label] for label in labels if label in weights})
    if len(several) > 1:
        if len(several) == 2:  # the colour, and one that is farther from the ground
            first = lightness(own)
        steps = [first + (last - first) * place / (len(several) - 1) for place in range(len(several))]
        nearest = min(range(len(steps)), key=lambda place: abs(steps[place] - lightness(own)))
        levels = {several[place]: level for place, level in enumerate(steps) if place != nearest}
    shades_of_labels, taken = [], {lightness(own), *levels.values()}
    pairs: set[tuple[float, float] | None] = set()
    for label in labels:
        pair = weights.get(label)
        if pair in pairs:  # it differs in something else: a lightness between, far from all others
            between = [first + (last - first) * part / 16.0 for part in range(NEAR_INK)]
            level = max(between, key=lambda lightness_between: min(abs(lightness_between - other) for other in taken))
            taken.add(level)
            shades_of_labels.append(at_lightness(own, level))
            continue
        pairs.add(pair)
        shades_of_labels.append(at_lightness(own, levels[pair]) if pair in levels else own)
    return shades_of_labels


def darker(colour: str, factor: float = 0.75) -> str:
    """A darker colour of the same hue."""
    values = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(value * factor):02X}" for value in values)


def lettering(colour: str, strength: float) -> str:
    """A colour for words: darker where ``strength`` is at most 1, for a light ground; else lighter, for a dark one."""
    if strength > 1.0:
        return at_lightness(colour, min(92.0, max(55.0, lightness(colour) * strength)))
    shade = darker(colour, strength)
    return shade if lightness(shade) < 49.0 else at_lightness(shade, 49.0)


def distance(first: str, second: str) -> float:
    """The Euclidean distance of two colours in CIE Lab (D65)."""
    pairs = zip(lab(first), lab(second), strict=True)
    return float(sum((one - other) ** 2 for one, other in pairs) ** 0.5)


def lab(colour: str) -> tuple[float, float, float]:
    red, green, blue = channels(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = luminance([red, green, blue])
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    small = (6 / 29) ** 3
    fx, fy, fz = (ratio ** (1 / 3) if ratio > small else ratio * 841 / 108 + 4 / 29 for ratio in (x, y, z))
    return 116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)


def contrast(first: str, second: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(channels(first)), luminance(channels(second))))
    return (high + 0.05) / (low + 0.05)


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
    present = luminance(linear)
    light = ((wanted + 16.0) / 116.0) ** 3 if wanted > 8.0 else wanted * (3 / 29) ** 3
    if light >= present:
        share = (light - present) / (1.0 - present) if present < 1.0 else 0.0
        mixed = [value + share * (1.0 - value) for value in linear]
    else:
        mixed = [value * light / present for value in linear]
    return "#" + "".join(f"{round(255.0 * _encoded(value)):02X}" for value in mixed)


def _encoded(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
