"""Films of the runs of results."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from particlegvi.contracts import Facts, Listening, Progress
from particlegvi.scenario.kinds.kind import Kind, Targets
from particlegvi.tools import parts
from particlegvi.tools.progress import listening


class FilmedRuns(Mapping[str, Any]):
    """The base of `particlegvi.runs.results.Runs` that makes films; `Runs` sets the attributes."""

    kind: Kind
    scenario: Facts
    targets: Targets

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def summary(self) -> Facts:
        raise NotImplementedError

    def animate(
        self,
        out: str | os.PathLike[str] | None = None,
        figure: str | None = None,
        frames: int = 120,
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
            The file. Its suffix is the format: .gif, .webp or .apng, or with ffmpeg .mp4 or .webm. By default it is
            FIGURE.gif in the folder of the results, or NAME-FIGURE.gif in the current folder if they have none.
        figure : str, optional
            A kind of figure that can be filmed; by default the first such figure of the scenario, or that of `plot`.
        frames : int
            Number of frames, 2 to 5000; a film has at most as many as there are records.
        seconds : float
            Length of the film, 0.1 to 3600. Its first and its last frame stand still for one second each.
        width : int
            Width of the film in pixels, 100 to 4096.
        even : bool
            Whether the frames are at equal times. Otherwise half of them show the first tenth of the time.
        loop : bool
            Whether a gif, webp or apng repeats itself without end. Otherwise it stops after three rounds.
        overwrite : bool
            Whether an existing file is replaced.
        progress : bool, "auto" or callable, optional
            True shows a bar, "auto" one in notebooks and on terminals for what takes longer than a second. A function
            is called as ``progress("film", frames done, frames)``.
        **options
            Options of the figure, such as ``methods=["DE", "DLE"]``. Those left out are as in the scenario.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            Before anything is written: if an argument is bad, the figure cannot be filmed, a run has one record
            alone, or ffmpeg is missing.

        Warns
        -----
        UserWarning
            If there are fewer records than frames.
        """
        from particlegvi.plotting import films

        parts.listening(progress)
        entry = films.figure_for(self.scenario, figure, options, lambda: self.kind.figure(list(self.values())))
        assert entry is not None
        path = films.file_beside(self.place, self.name, entry["kind"]) if out is None else out
        settings = films.FilmSettings(path, frames, seconds, width, even=even, loop=loop, overwrite=overwrite)
        with listening(progress) as heard:
            films.film(self.followed(heard), entry, settings, heard)
        self.note_pictures([settings.path])
        return settings.path

    @property
    def place(self) -> Path | None:
        """The folder where the runs are saved; None if they are not."""
        return None

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Note pictures in the manifest if they lie in the folder of these runs."""

    def followed(self, progress: Progress | None = None) -> Self:
        """The runs with records over time; a run that kept only its end is simulated again where that is possible."""
        found = copy.copy(self)
        vars(found).update(_runs={label: self.kind.followed(run, progress) for label, run in self.items()})
        return found
