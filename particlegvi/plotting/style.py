"""The look of every figure: size, fonts, colours, labels of methods; and the writing of its file.

A figure is made for a lecture slide: 10 by 5.6 inches, nothing smaller than 12 points, the colour-blind safe palette
of Okabe and Ito (2008). Nothing here touches the reader's matplotlib settings: figures are built and saved inside
`slide_style`, which starts from matplotlib's own defaults, so that a picture's bytes depend on the results alone.
"""

from __future__ import annotations

import io
import math
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

from particlegvi.contracts import Method
from particlegvi.plotting.results import ParticleRun, Results, Runs
from particlegvi.tools import files

WIDTH, HEIGHT, DOTS_PER_INCH = 10.0, 5.6, 150
SMALL, MEDIUM, LARGE = 12.0, 13.5, 16.0

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
LOSS_GREY, TEXT_GREY = "#9A9A9A", "#4D4D4D"

# Sky blue for FD-GVI: purple and green, of figures that show it with DRLE, are close to a colour-blind eye.
METHOD_COLOURS = {"DE": VERMILLION, "DLE": BLUE, "DRLE": GREEN, "DRE": ORANGE, "FDGVI": SKY}
SPARE_COLOURS = (PURPLE, ORANGE, SKY, GREEN, BLUE, VERMILLION, YELLOW)

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # shipped with matplotlib, so every machine has it
    "mathtext.fontset": "dejavusans",
    "font.size": SMALL,
    "axes.titlesize": MEDIUM,
    "axes.labelsize": MEDIUM,
    "axes.titlepad": 7.0,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "lines.linewidth": 2.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
_WINDOW_SETTINGS = ("backend", "interactive", "toolbar", "webagg", "timezone")


def slide_style() -> AbstractContextManager[None]:
    """A context in which matplotlib uses our settings; the reader's own are restored when it ends."""
    known = matplotlib.rcParamsDefault.items()
    defaults: dict[Any, Any] = {key: value for key, value in known if not key.startswith(_WINDOW_SETTINGS)}
    return matplotlib.rc_context({**defaults, **_SETTINGS})


class Slide(Figure):
    """A matplotlib figure that a notebook shows by itself, without pyplot."""

    def _repr_png_(self) -> bytes:
        return png(self)


def new_slide(rows: float = 1, heading: bool = True) -> Slide:
    """An empty figure of slide size with an Agg canvas; more than two rows of panels make it taller."""
    height = HEIGHT * max(1.0, rows / 2.0)
    # The heading is 0.68 inches high whatever the height of the figure; the layout keeps clear of it.
    top = 1.0 - 0.68 / height if heading else 1.0
    layout = ConstrainedLayoutEngine(rect=(0.0, 0.0, 1.0, top), w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.04)
    # At the resolution at which it is saved: what is measured while it is made need not be measured again.
    figure = Slide(figsize=(WIDTH, height), dpi=DOTS_PER_INCH, layout=layout)  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    return figure


def png(figure: Figure) -> bytes:
    """A figure of `new_slide` as PNG bytes; the same figure gives the same bytes.

    The canvas is printed as it is, because `Figure.savefig` would draw twice: once for the layout alone.
    """
    buffer = io.BytesIO()
    # Its own canvas knows already how large the words are that were measured while it was made.
    canvas = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    with slide_style():
        # The default metadata names the matplotlib version, which would change the bytes without changing the picture.
        # Files packed harder than this take twice as long and are no smaller.
        packing = {"compress_level": 3}
        canvas.print_png(buffer, metadata={"Software": None}, pil_kwargs=packing)
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> Path:
    """Write the figure to ``path`` as PNG and return the path."""
    picture = png(figure)
    files.write(path, lambda file: file.write(picture))
    return path


def plain(text: object) -> str:
    """Text from a scenario made safe to print: its dollar signs are not mathematics."""
    return str(text).replace("$", r"\$")


def number(value: float, digits: int = 4) -> str:
    """A number as mathtext without the dollar signs: 0.5, 300, or 10^{-4} where decimals would be hard to read."""
    value = float(value)
    if value == 0.0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits}g}"
    exponent = math.floor(math.log10(abs(value)))
    mantissa = f"{value / 10.0**exponent:.3g}"
    if mantissa in ("10", "-10"):
        mantissa, exponent = mantissa[:-1], exponent + 1
    power = f"10^{{{exponent}}}"
    return {"1": power, "-1": f"-{power}"}.get(mantissa, rf"{mantissa}\times {power}")


def weights(method: Method) -> str:
    """The weights of a method as mathtext, for example "λ_KL = 1, λ_MMD = 0.5"; empty where it has none."""
    parts = []
    for symbol, value in (("KL", method.kl_weight), ("MMD", method.mmd_weight)):
        if value:
            parts.append(rf"\lambda_\text{{{symbol}}} = {number(value)}")
    return "$" + r",\ ".join(parts) + "$" if parts else ""


def shown_name(label: str) -> str:
    """The label as it is printed: with the hyphen that the name of a class cannot have."""
    return "FD-GVI" if label == "FDGVI" else plain(label)


def method_label(label: str, run: ParticleRun) -> str:
    """The name of a method with its weights, on one line: "DRLE (λ_KL = 1, λ_MMD = 0.5)"."""
    text = weights(run.method)
    return f"{shown_name(label)} ({text})" if text else shown_name(label)


def panel_title(axes: Axes, label: str, run: ParticleRun, colour: str) -> None:
    """The method's name in bold, and its weights on the line below."""
    # Mathematics ignores the weight of the font, so the second line stays regular.
    second = weights(run.method) or r"$\lambda_\text{KL} = \lambda_\text{MMD} = 0$"
    # With a height given, matplotlib does not measure the title against the ticks of all panels.
    axes.set_title(f"{shown_name(label)}\n{second}", y=1.0, fontweight="bold", color=darker(colour))


def colours(runs: Runs | Results) -> dict[str, str]:
    """One colour for each method: always the same for the known methods, and no colour twice below nine methods."""
    chosen: dict[str, str] = {}
    for label, run in runs.items():
        known = METHOD_COLOURS.get(_key(run.method.label))
        if known is not None and known not in chosen.values():
            chosen[label] = known
    for position, label in enumerate(runs):
        if label not in chosen:
            free = [colour for colour in SPARE_COLOURS if colour not in chosen.values()]
            chosen[label] = free[0] if free else SPARE_COLOURS[position % len(SPARE_COLOURS)]
    return {label: chosen[label] for label in runs}


def _key(label: str) -> str:
    return label.upper().replace("-", "").replace(" ", "")


def darker(colour: str, factor: float = 0.75) -> str:
    """The same hue with less light, for text on white."""
    channels = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(channel * factor):02X}" for channel in channels)


def outlined(artist: Artist, width: float = 3.0) -> Artist:
    """Give a text or a line a white edge, so that it stays legible over whatever lies below it."""
    artist.set_path_effects([withStroke(linewidth=width, foreground="white")])
    return artist
