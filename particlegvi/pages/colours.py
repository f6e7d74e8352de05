"""The colours of methods on a page, in light and in dark: those of their figures (`particlegvi.settings.colours`).

A page has thin lines. Where the colour of a figure has a contrast below 3 to 1 on the page (WCAG 2.2, 1.4.11), as
orange and sky blue have on white, lines have the nearest shade of it that has enough.
"""

from __future__ import annotations

from collections.abc import Mapping

from particlegvi.settings.colours import LETTERING, LIGHTNESS, assigned, at_lightness, contrast, lettering

Colours = dict[str, dict[str, str]]  # by the ground and by label
GROUNDS = {"light": "#FFFFFF", "dark": "#161616"}  # of page.css


def colours_of(
    names: Mapping[str, str],
    more: Mapping[str, str],
    given: Mapping[str, str] | None = None,
    weights: Mapping[str, tuple[float, float]] | None = None,
) -> Colours:
    """The colours that figures give to ``names``, methods by label, and then those of ``more``, whatever they show.

    Arguments ``given`` and ``weights`` are as for `particlegvi.settings.colours.assigned`.
    """
    drawn = {ground: assigned(names, ground, given, weights) for ground in GROUNDS}
    together = {**names, **{label: name for label, name in more.items() if label not in names}}
    return {ground: assigned(together, ground, known, weights) for ground, known in drawn.items()}


def sheet(colours: Colours) -> tuple[str, dict[str, str]]:
    """The rules of a style sheet that declare a colour of lines and one of words for each label, and their names."""
    names = {label: f"--m{place}" for place, label in enumerate(colours["light"])}
    light, dark = (
        "".join(
            f" {names[label]}: {visible(colour, ground)}; {names[label]}-words: {lettering(colour, LETTERING[ground])};"
            for label, colour in table.items()
        )
        for ground, table in colours.items()
    )
    return f":root {{{light} }}\n@media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n", names


def visible(colour: str, ground: str) -> str:
    """The colour, or where it is too near to the ground the nearest shade of it that lines can have."""
    return colour if contrast(colour, GROUNDS[ground]) >= 3.0 else at_lightness(colour, LIGHTNESS[ground][0])
