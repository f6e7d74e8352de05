"""Results in other forms: a tree for xarray, a long table for pandas, files, and films."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from particlegvi.contracts import Facts, Listening, Progress
from particlegvi.scenario.kinds.kind import Kind, Targets
from particlegvi.tools import arguments, objects
from particlegvi.tools.export import Exports, datasets, writing
from particlegvi.tools.export.columns import Columns, groups
from particlegvi.tools.film_file import FilmFile
from particlegvi.tools.patience import listening
from particlegvi.tools.sources import versions

if TYPE_CHECKING:
    import xarray


class ExportedRuns(Exports, Mapping[str, Any]):
    """The base of `particlegvi.runs.results.Runs` that exports and makes films; `Runs` sets the attributes."""

    kind: Kind
    scenario: Facts
    seed: int
    status: str
    targets: Targets

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def summary(self) -> Facts:
        raise NotImplementedError

    def attributes(self) -> Facts:
        """Attributes of every group about the whole: scenario, title, seed, status and versions."""
        words = {key: str(self.scenario.get(key, "")) for key in ("title", "source")}
        whole = {"scenario": str(self.scenario["name"]), **words, "seed": self.seed, "status": self.status}
        return whole | {"versions": versions()}

    def to_xarray(self) -> xarray.DataTree:
        """A tree for xarray: a group for each run, ``/DLE`` being ``results["DLE"].to_xarray()``.

        Every group has the attributes of the whole: ``scenario``, its complete file as ``scenario.toml``, ``seed`` and
        ``versions``. A label that cannot name a group is changed, and the attribute ``label`` keeps it.
        """
        named = groups(self)
        return datasets.tree({named[label]: run.to_xarray() for label, run in self.items()}, self.attributes())

    def columns(self, records: bool = False) -> Columns:
        """The rows of `to_dataframe`, with a column for the method; of a benchmark table a row for each cell."""
        return self.kind.columns(self, records)

    def groups(self, last: float, chains: bool | None) -> dict[str, xarray.Dataset]:
        """The groups of `to_datatree`: those of every run, below its label."""
        named = groups(self)
        return {
            f"{named[label]}/{name}": group
            for label, run in self.items()
            for name, group in run.groups(last, chains).items()
        }

    def export(self, path: str | os.PathLike[str], records: bool = False, overwrite: bool = False) -> Path:
        """Write a file for another program; its suffix says which.

        Parameters
        ----------
        path : path
            ``.nc``: `to_xarray`, as NetCDF. ``.csv``: the rows of `to_dataframe`. ``.npz``: the arrays
            of every run, ``LABEL.positions``, ``LABEL.steps`` and ``LABEL.times``, for ``numpy.load``. ``.tex``: the
            table of the summary in LaTeX.
        records : bool
            Whether the rows are of all records; ``.nc`` and ``.npz`` always have them.
        overwrite : bool
            Whether ``path`` may be a file that exists.
        """
        records = arguments.flag("records", records)
        place = writing.destination(path, overwrite)
        if not self:
            raise ValueError(f"{self.scenario['name']} must have a finished method to be exported, and has none yet")
        columns, table = lambda: self.columns(records), lambda: self.kind.latex(self, self.summary)
        return writing.write(place, self.to_xarray, self.arrays, columns, table)

    def arrays(self) -> writing.Arrays:
        """The arrays of every run by name, as a file ``.npz`` has them."""
        named = groups(self)
        all_arrays: writing.Arrays = {}
        for label, run in self.items():
            arrays = self.kind.arrays(run)
            all_arrays |= {f"{named[label]}.{name}": array for name, array in arrays.items()}
        return all_arrays

    def animate(
        self,
        out: str | os.PathLike[str] | None = None,
        figure: str | None = None,
        frames: int | None = None,
        seconds: float = 8.0,
        *,
        width: int = 800,
        even: bool = False,
        loop: bool = False,
        overwrite: bool = False,
        progress: Listening = "auto",
        **options: object,
    ) -> Path:
        """Film one figure, from the first record to the last; the last frame is the picture of `plot`.

        Parameters
        ----------
        out : path, optional
            The file. Its suffix is the format: .gif or .webp, or with ffmpeg .mp4. By default it is
            FIGURE.gif in the folder of the results, or NAME-FIGURE.gif in the current folder if they have none.
        figure : str, optional
            A kind of figure that can be filmed; by default the first such figure of the scenario, or that of `plot`.
        frames : int, optional
            Number of frames, 2 to 5000; by default 120, or as many as ``seconds`` allow at 50 a second. Each shows
            another record.
        seconds : float
            Length of the film, 0.1 to 3600. Its first and its last frame stand still for one second each.
        width : int
            Width of the film in pixels, 100 to 4096.
        even : bool
            Whether the frames are at equal times. Otherwise half of them show the first tenth of the time.
        loop : bool
            Whether a gif or webp repeats itself without end. Otherwise it stops after three rounds.
        overwrite : bool
            Whether an existing file is replaced.
        progress : bool, "auto" or callable, optional
            True shows a bar, "auto" one in notebooks and on terminals for what takes longer than a second. A function
            is called as ``progress("film", frames done, frames)``.
        **options
            Options of the figure, such as ``methods=["DE", "DLE"]``. Options that are left out are as in the scenario.

        Returns
        -------
        Path
            The file. A notebook shows it as the film, and so does a page that is exported from the notebook.

        Warns
        -----
        UserWarning
            If there are fewer records than frames.
        """
        from particlegvi.plotting import films

        objects.check_listening(progress)
        entry = films.figure_for(self.scenario, figure, options, lambda: self.kind.figure(list(self.values())))
        assert entry is not None
        path = films.file_beside(self.place, self.name, entry["kind"]) if out is None else out
        settings = films.FilmSettings(path, frames, seconds, width, even=even, loop=loop, overwrite=overwrite)
        with listening(progress) as reporter:
            films.film(self.followed(reporter), entry, settings, reporter)
        self.note_pictures([settings.path])
        return FilmFile(settings.path)

    @property
    def place(self) -> Path | None:
        """The folder where the runs are saved; None if they are not."""
        return None

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Note pictures in the manifest if they lie in the folder of these runs."""

    def followed(self, progress: Progress | None = None) -> Self:
        """The runs with records over time; a run that kept only its end is simulated again where that is possible."""
        copied = copy.copy(self)
        vars(copied).update(_runs={label: self.kind.followed(run, progress) for label, run in self.items()})
        return copied
