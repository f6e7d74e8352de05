"""The parts from which claims make their pictures: histograms, curves, measured points, and the truth beside them."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.settings import colours
from particlegvi.verification import chance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from particlegvi.targets.density import DensityTarget

COLOURS = (colours.BLUE, colours.ORANGE, colours.GREEN, colours.PURPLE)
THETA = r"parameter $\theta$"
Window = tuple[float, float]


class Picture:
    """One panel of a claim's figure, as a list of its parts; :meth:`draw` draws them.

    Each method but :meth:`frame` adds one part and returns the picture, so that calls can be chained; :meth:`frame`
    comes last. Measured values are coloured, in the order of :data:`COLOURS`; the truth and the bounds are black. Other
    keywords (``**look``) go to matplotlib.
    """

    def __init__(self) -> None:
        self._parts: list[Callable[[Axes], object]] = []
        self._colours = cycle(COLOURS)

    def add(self, part: Callable[[Axes], object]) -> Picture:
        """A part that only one claim needs: a function that draws it."""
        self._parts.append(part)
        return self

    def draw(self, axes: Axes) -> None:
        """Draw all parts, in their order."""
        for part in self._parts:
            part(axes)

    def curve(self, x: ArrayLike, y: ArrayLike, label: str | None = None, fmt: str = "-", **look: object) -> Picture:
        """Measured values y (n,) or (n, curves) at x (n,), in the next colour."""
        settings: Facts = {"label": label, **look}
        if "color" not in look:
            settings["color"] = next(self._colours)
        return self.add(lambda axes: axes.plot(x, y, fmt, **settings))

    def curves(self, x: ArrayLike, rows: Iterable[ArrayLike], labels: Iterable[str], fmt: str = "-") -> Picture:
        """Several curves at the same x, each in a colour of its own."""
        for row, label in zip(rows, labels, strict=True):
            self.curve(x, row, label, fmt)
        return self

    def dots(self, x: ArrayLike, y: ArrayLike, label: str | None = None, fmt: str = "o", **look: object) -> Picture:
        """Measured values as points."""
        return self.curve(x, y, label, fmt, **look)

    def pairs(self, pairs: np.ndarray, label: str | None = None, fmt: str = "o", **look: object) -> Picture:
        """Points of the plane (n, 2), such as particles, or a measured value beside the expected one."""
        return self.curve(pairs[:, 0], pairs[:, 1], label, fmt, **look)

    def errors(self, x: ArrayLike, y: ArrayLike, error: np.ndarray, label: str, fmt: str = "o") -> Picture:
        """Points with bars of :data:`~particlegvi.verification.chance.ERRORS` standard errors."""
        look: Facts = {"capsize": 4, "label": label, "color": next(self._colours)}
        return self.add(lambda axes: axes.errorbar(x, y, chance.ERRORS * error, fmt=fmt, **look))

    def truth(self, x: ArrayLike, y: ArrayLike, label: str | None = None, fmt: str = "--", **look: object) -> Picture:
        """The values that theory gives, in black."""
        return self.curve(x, y, label, fmt, color=colours.BLACK, **look)

    def level(self, value: float, label: str | None = None, linestyle: str = "--") -> Picture:
        """A horizontal line: a bound, or the value that theory gives."""
        look: Facts = {"color": colours.BLACK, "linestyle": linestyle, "linewidth": 1.2, "label": label}
        return self.add(lambda axes: axes.axhline(value, **look))

    def diagonal(self, ends: Window, label: str = "equal") -> Picture:
        """The line y = x."""
        return self.truth(ends, ends, label)

    def slope(self, x: ArrayLike, first: float, power: float, label: str) -> Picture:
        """A power of x through the value ``first`` at x[0]: a straight line on logarithmic axes."""
        x = np.asarray(x)
        return self.truth(x, first * (x / x[0]) ** power, label)

    def band(self, x: ArrayLike, middle: np.ndarray, half: np.ndarray, label: str) -> Picture:
        """A curve (n,) with a band of half width ``half`` (n,) around it."""
        ends = middle - half, middle + half
        self.add(lambda axes: axes.fill_between(x, *ends, color=colours.SKY, alpha=0.4, linewidth=0))
        return self.curve(x, middle, label)

    def data(self, x: ArrayLike, y: ArrayLike, label: str = "data") -> Picture:
        """The rows of a data set."""
        return self.dots(x, y, label, color=colours.VERMILLION, markersize=4)

    def histogram(
        self,
        values: np.ndarray,
        window: Window,
        bins: int = 60,
        label: str = "particles",
        *,
        shares: bool = False,
        **look: object,
    ) -> Picture:
        """Histogram of values (n,): its area, or with ``shares`` its height, is the share of those in the window."""
        edges = np.linspace(*window, bins + 1)
        weight = 1.0 / len(values) if shares else 1.0 / (len(values) * (edges[1] - edges[0]))
        settings: Facts = {"color": colours.SKY, "edgecolor": "white", "linewidth": 0.4, "label": label, **look}
        self.add(lambda axes: axes.hist(values, edges.tolist(), weights=np.full(len(values), weight), **settings))
        return self.add(lambda axes: axes.set_xlim(window))

    def density(self, target: DensityTarget, window: Window, label: str = "$Q^*$") -> Picture:
        """The density of a target."""
        x = np.linspace(*window, 500)
        return self.truth(x, target.pdf(x), label)

    def normal(self, label: str) -> Picture:
        """The density of N(0, 1)."""
        x = np.linspace(-4.0, 4.0, 200)
        return self.truth(x, np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi), label)

    def shares(self, found: np.ndarray, masses: np.ndarray, label: str) -> Picture:
        """Bars for the shares of the particles, and the masses that theory gives."""
        places = np.arange(len(found))
        self.add(lambda axes: axes.bar(places, found, 0.7, color=colours.SKY, label="particles"))
        return self.truth(places, masses, label, "D")

    def ends(self, starts: Iterable[Sequence[float]], ends: Iterable[np.ndarray]) -> Picture:
        """The first 600 particles (n, 2) at the end of each run in the plane, with the point where the run started."""
        for start, end, marker in zip(starts, ends, "o^", strict=True):
            self.pairs(end[:600], f"from ({start[0]:g}, {start[1]:g})", marker, markersize=3.5, alpha=0.5)
        return self

    def ellipse(self, width: float, height: float, label: str) -> Picture:
        """An ellipse around the origin with these half axes."""
        angle = np.linspace(0.0, 2.0 * np.pi, 200)
        return self.truth(width * np.cos(angle), height * np.sin(angle), label, "-", linewidth=1.0)

    def frame(
        self,
        xlabel: str = THETA,
        ylabel: str = "density",
        legend: str = "best",
        *,
        log: str = "",
        symlog: float | None = None,
        ticks: Sequence[float] | np.ndarray | None = None,
        columns: int = 1,
        **settings: object,
    ) -> None:
        """Labels, scales and the legend; parts with the same label have one entry.

        Parameters
        ----------
        xlabel, ylabel : str
        legend : str
            Place of the legend.
        log : str
            The logarithmic axes: "x", "y" or "xy".
        symlog : float, optional
            Makes the vertical axis linear between plus and minus this value, and logarithmic beyond.
        ticks : sequence of float, optional
            The only ticks of the horizontal axis.
        columns : int
            Columns of the legend.
        **settings
            Limits and more, for ``Axes.set``.
        """
        shown: Facts = {"xlabel": xlabel, "ylabel": ylabel, **settings}

        def set_axes(axes: Axes) -> None:
            for axis in log:
                axes.set(**{f"{axis}scale": "log"})
            if symlog is not None:
                axes.set_yscale("symlog", linthresh=symlog)
            if ticks is not None:
                axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])
            if symlog is not None or ticks is not None:
                axes.minorticks_off()
            axes.set(**shown)

        self.add(set_axes)
        self._legend(loc=legend, ncols=columns, handlelength=1.6, borderaxespad=0.2)

    def plane(self, reach: float, xlabel: str = r"$\theta_1$", ylabel: str = r"$\theta_2$") -> None:
        """In the place of :meth:`frame`: a square window around the origin, with the legend to its right."""
        self.frame(xlabel, ylabel, xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        self._legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.0, handletextpad=0.4)

    def _legend(self, **look: object) -> None:
        settings: Facts = {**look}

        def write(axes: Axes) -> None:
            handles, labels = axes.get_legend_handles_labels()
            if handles:
                entries = dict(zip(labels, handles, strict=True))
                axes.legend([*entries.values()], [*entries], **settings)

        self.add(write)
