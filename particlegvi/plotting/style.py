"""The parts that all figures share: matplotlib's settings, an empty slide, labels of methods, and writing the file.

A figure is made for a lecture slide: 10 by 5.6 inches, nothing smaller than 12 points, the colour-blind safe palette
of Okabe and Ito (2008), unless its `look` says something else. Nothing here touches the reader's matplotlib settings:
figures are built and saved inside `slide_style`, which starts from matplotlib's own defaults, so that a picture's bytes
depend on the results and the look alone.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from particlegvi.contracts import Method, Scenario
from particlegvi.losses.loss import Loss
from particlegvi.plotting.look import HEIGHT, localised, look, palette, say
from particlegvi.plotting.protocols import ParticleRun, Results, Runs
from particlegvi.settings import colours as table
from particlegvi.tools import files, words

NARROW, BROAD = 15.0, 22.5  # panels, in sizes of the smallest letters, whose notes are broken, or have one line
FUNCTION = r"$\ell(\theta)$"  # for a loss without a formula
VARIABLE = re.compile(r"([A-Za-z]+)(?:_?([0-9]+))?")
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5))]  # for lines whose colours may be alike

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # shipped with matplotlib, so every machine has it
    "mathtext.fontset": "dejavusans",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "lines.linewidth": 2.0,
    "savefig.facecolor": "auto",
    "pdf.fonttype": 42,  # letters stay letters, which can be searched and which journals ask for
    "svg.hashsalt": "particlegvi",  # names of clip paths are random otherwise
}
# The look decides the sizes of letters in points, and the colours.
_LETTERS = {
    "small": ("font.size", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"),
    "medium": ("axes.titlesize", "axes.labelsize"),
}
_GROUND = ("figure.facecolor", "axes.facecolor")
_INK = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
# Lengths of the frame in points; lines and marks are scaled when the figure is finished.
_THIN = [
    "axes.linewidth", "axes.labelpad",
    *(f"{x}tick.{kind}.{part}" for x in "xy" for kind in ("major", "minor") for part in ("size", "width", "pad")),
]  # fmt: skip
_WINDOW_SETTINGS = ("backend", "interactive", "toolbar", "webagg", "timezone")


def slide_style() -> AbstractContextManager[None]:
    """A context in which matplotlib uses our settings; the reader's own are restored when it ends."""
    known = matplotlib.rcParamsDefault.items()
    chosen: dict[Any, Any] = {key: value for key, value in known if not key.startswith(_WINDOW_SETTINGS)}
    looks = look()
    chosen.update(_SETTINGS)
    chosen.update(dict.fromkeys(_LETTERS["small"], looks.small) | dict.fromkeys(_LETTERS["medium"], looks.medium))
    chosen.update(dict.fromkeys(_GROUND, palette().ground) | dict.fromkeys(_INK, palette().ink))
    chosen["axes.titlepad"] = (4.0 if looks.is_slide else 7.0) * looks.letters
    if looks.scale != 1.0:
        chosen.update({key: chosen[key] * looks.scale for key in _THIN})
    return matplotlib.rc_context(chosen)


class Slide(Figure):
    """A matplotlib figure that a notebook shows by itself, without pyplot."""

    clock: Text  # the time in the heading
    needed: tuple[str, ...] = ()  # words that explain the picture: they may be broken, and never dropped

    def _repr_png_(self) -> bytes:
        return png(self)


def new_slide(rows: float = 1, tall: float = 1.0) -> Slide:
    """An empty figure of the size of the look, with an Agg canvas; where that leaves it open, rows make it taller.

    In the default look more than two rows do; with ``tall`` above 1, for panels that need room, two rows do so as well.
    """
    looks = look()
    height = looks.height or HEIGHT * looks.letters * max(1.0, rows * tall / 2.0 if rows > 1 else 1.0)
    pad, tight = 0.06 * looks.scale, 0.5 if looks.is_slide else 1.0
    layout = ConstrainedLayoutEngine(w_pad=pad, h_pad=tight * pad, wspace=0.03, hspace=tight * 0.04)
    # At the resolution of the file, so that words are measured only once.
    figure = Slide(figsize=(looks.width, height), dpi=looks.dots_per_inch, layout=layout)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """A figure of `new_slide` as PNG bytes; the same figure gives the same bytes.

    The canvas is printed as it is, because `Figure.savefig` would draw twice: once for the layout alone.
    """
    buffer = io.BytesIO()
    # The figure's own canvas keeps the sizes of words that were measured before.
    canvas = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    with slide_style():
        # The default metadata names the matplotlib version, which would change the bytes without changing the picture.
        # Files packed harder than this take twice as long and are no smaller.
        packing = {"compress_level": 3}
        canvas.print_png(buffer, metadata={"Software": None}, pil_kwargs=packing)
    return buffer.getvalue()


def pdf_or_svg(figure: Figure, form: str) -> bytes:
    """A figure as PDF or SVG bytes, without the date and the versions that matplotlib would name in it."""
    buffer = io.BytesIO()
    nameless = {"pdf": ("Creator", "Producer", "CreationDate"), "svg": ("Creator", "Date")}
    with slide_style():
        figure.savefig(buffer, format=form, metadata=dict.fromkeys(nameless[form]))
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> Path:
    """Write the figure to ``path`` in the format of its suffix, ".png", ".pdf" or ".svg", and return the path."""
    form = path.suffix.removeprefix(".")
    picture = png(figure) if form == "png" else pdf_or_svg(figure, form)
    files.write(path, lambda file: file.write(picture))
    return path


def plain(text: object) -> str:
    """Text from a scenario made safe to print: its dollar signs are not mathematics."""
    return str(text).replace("$", r"\$")


def mathtext(value: float, digits: int = 4) -> str:
    """A number as mathtext without the dollar signs: 0.5, 300, or 10^{-4} where decimals would be hard to read."""
    value = float(value)
    if value == 0.0 or 1e-3 <= abs(value) < 1e5:
        return in_mathematics(f"{value:.{digits}g}")
    exponent = math.floor(math.log10(abs(value)))
    mantissa = f"{value / 10.0**exponent:.3g}"
    if mantissa in ("10", "-10"):
        mantissa, exponent = mantissa[:-1], exponent + 1
    power = f"10^{{{exponent}}}"
    return {"1": power, "-1": f"-{power}"}.get(mantissa, rf"{in_mathematics(mantissa)}\times {power}")


def in_mathematics(text: str) -> str:
    """A number inside mathtext, with the marks of the language."""
    return localised(text).replace(",", "{,}")  # a bare comma has a space behind it there


def weights(method: Method) -> str:
    """The weights of a method as mathtext, for example "λ_KL = 1, λ_MMD = 0.5"; empty where it has none."""
    parts, equals = [], "{=}" if look().is_slide else " = "
    for symbol, value in (("KL", method.kl_weight), ("MMD", method.mmd_weight)):
        if value:
            parts.append(rf"\lambda_\text{{{symbol}}}{equals}{mathtext(value)}")
    return "$" + r",\ ".join(parts) + "$" if parts else ""


def shown_name(label: str) -> str:
    """The label as it is printed: in the language, and with the hyphen that the name of a class cannot have."""
    return "FD-GVI" if label == "FDGVI" else plain(words.of(look().language).label(label))


def method_label(label: str, run: ParticleRun) -> str:
    """The name of a method with its weights, on one line: "DRLE (λ_KL = 1, λ_MMD = 0.5)"."""
    text = weights(run.method)
    return f"{shown_name(label)} ({text})" if text else shown_name(label)


def panel_title(axes: Axes, label: str, run: ParticleRun, colour: str) -> None:
    """The method's name in bold, and its weights on the line below; on a slide beside it."""
    # Mathematics ignores the weight of the font, so the second line stays regular.
    second = weights(run.method) or r"$\lambda_\text{KL} = \lambda_\text{MMD} = 0$"
    title = method_label(label, run) if look().is_slide else f"{shown_name(label)}\n{second}"
    # With a height given, matplotlib does not measure the title against the ticks of all panels.
    axes.set_title(title, y=1.0, fontweight="bold", color=lettering(colour))


def metastable(facts: Scenario) -> str:
    """The word "metastable" with its reason, where the verdict of a run has it; it is said of the end of a run."""
    verdict = facts.get("equilibrium", {}).get("verdict", "")
    if verdict.startswith("metastable"):
        return say("metastable_shares")
    return say("metastable_few") if "metastable" in verdict else ""


def note_metastable(axes: Axes, facts: Scenario, run: ParticleRun) -> Callable[[int], None]:
    """Write `metastable` above a panel; returns a function that shows it at the last record only."""
    words = metastable(facts)
    if not words or not look().note:
        return lambda record: None
    note = note_above(axes, words)
    words = note.get_text()
    return lambda record: note.set_text(words if record in (-1, len(run.positions) - 1) else "")


def note_above(axes: Axes, *lines: str) -> Text:
    """Write lines about the numbers of a panel between it and its title, where they hide nothing (`in_note`)."""
    note = axes.annotate(
        in_note(axes, *lines), (0.5, 1.0), (0.0, 3.0 * look().letters), xycoords="axes fraction",
        textcoords="offset points", ha="center", va="bottom", color=palette().words, gid="note",
    )  # fmt: skip
    note.set_in_layout(False)  # the title keeps the room; a panel is not made narrow for a long note
    if look().is_slide and columns_of(axes) == 1:  # beside the title, as the height is scarce
        axes.title.set(x=0.0, ha="left")
        note.set(ha="right", va="baseline", gid="beside")
        note.xy, note.xyann = (1.0, 1.0), (0.0, 4.0 * look().letters)
    else:
        lift_title(axes, note)
    return note


def level_titles(panels: Sequence[Axes]) -> None:
    """Let the titles of panels beside each other stand at one height: a shorter note gets empty lines at its end."""
    notes = [text for axes in panels for text in axes.texts if text.get_gid() == "note"]
    most = max((note.get_text().count("\n") for note in notes), default=0)
    for note in notes:
        note.set_text(note.get_text() + "\n" * (most - note.get_text().count("\n")))
    for axes in panels if notes else ():
        lift_title(axes, notes[0])


def lift_title(axes: Axes, note: Text) -> None:
    """Put the title of a panel above its note."""
    title, lines = axes.title, 1 + note.get_text().count("\n")
    pad = 3.0 * look().letters + 1.55 * lines * float(note.get_fontsize())
    axes.set_title(title.get_text(), y=1.0, pad=pad, color=title.get_color(), weight="bold", size=title.get_fontsize())


def in_note(axes: Artist | None, *lines: str) -> str:
    """Lines of a note; on a slide they are broken in a narrow panel, and stand beside each other in a broad one."""
    breadth, lines = look().breadth / columns_of(axes), tuple(filter(None, lines))
    side_by_side = ", ".join(lines)
    if not look().is_slide or NARROW <= breadth <= max(BROAD, 0.55 * len(side_by_side)):  # breadth of a letter
        return "\n".join(lines)
    return side_by_side if breadth > BROAD else "\n".join(lines).replace(" (", "\n(")


def lettering(colour: str, factor: float = 1.0) -> str:
    """A colour for words: darker on a light ground (by ``factor`` more), lighter on a dark one."""
    strength = table.LETTERING[look().palette]
    return table.lettering(colour, strength * factor if strength <= 1.0 else strength)


def columns_of(axes: Artist | None) -> int:
    """The number of panels in the row of this one."""
    place = axes.get_subplotspec() if isinstance(axes, Axes) else None
    return int(place.get_gridspec().ncols) if place is not None else 1


def outlined(artist: Artist, width: float = 3.0) -> Artist:
    """Give a text or a line an edge of the ground, so that it stays legible over whatever lies below it."""
    artist.set_path_effects([withStroke(linewidth=width * look().scale, foreground=palette().ground)])
    return artist


def colours(runs: Runs | Results) -> dict[str, str]:
    """The colour of each run by its method (`particlegvi.settings.colours`), or that which the look gives its label."""
    names = {label: run.method.label for label, run in runs.items()}
    weights = {label: (float(run.method.kl_weight), float(run.method.mmd_weight)) for label, run in runs.items()}
    return table.assigned(names, look().palette, look().colours, weights)


def coordinates(loss: object, dim: int) -> list[str]:
    """A symbol for each coordinate, as mathtext with its dollar signs."""
    if isinstance(loss, Loss) and loss.formula is not None and len(loss.variables) == dim:
        return [f"${symbol(name)}$" for name in loss.variables]
    return [r"$\theta$"] if dim == 1 else [rf"$\theta_{{{number + 1}}}$" for number in range(dim)]


def symbol(name: str) -> str:
    """A variable's name as mathtext: one letter in italics, with its number as a subscript; longer names upright."""
    found = VARIABLE.fullmatch(name)
    word, number = found.groups() if found is not None else (name.replace("_", r"\_"), None)
    letter = word if len(word) == 1 else rf"\mathrm{{{word}}}"
    return letter if number is None else rf"{letter}_{{{number}}}"


def loss_of(loss: object, dim: int) -> str:
    """The loss as a function of its coordinates, as mathtext with its dollar signs."""
    inside = ", ".join(each.strip("$") for each in coordinates(loss, dim))
    return rf"$\ell({inside})$"
