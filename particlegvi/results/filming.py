"""Films of the runs of results."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from particlegvi.contracts import Facts, Listening, Progress
from particlegvi.kinds.kind import Kind, Targets
from particlegvi.tools import parts
from particlegvi.tools.bars import listening


class FilmedRuns(Mapping[str, Any]):
    """The base of `particlegvi.results.Runs` that makes films, whose attributes these are."""

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
        """Film one figure: the particles move from the first record to the last, which is the picture of `plot`.

        Parameters
        ----------
        out : path, optional
            The file. Its suffix is the format: .gif, .webp or .apng, or with ffmpeg .mp4 or .webm. Left out, it is
            FIGURE.gif in the folder of the results, or NAME-FIGURE.gif here where they have none.
        figure : str, optional
            A kind of figure that can be filmed; the first such one of the scenario's own, or that of `plot`.
        frames : int
            From 2 on; at most as many as there are records.
        seconds : float
            Length of the film. Its first and its last frame stand still for one second each.
        width : int
            In pixels.
        even : bool
            Whether the frames are at equal times. Otherwise half of them show the first tenth of the time.
        loop : bool
            Whether a gif, webp or apng repeats itself without end. Otherwise it stops after three rounds.
        overwrite : bool
            Whether the file may exist.
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
            In one sentence, before anything is written, for a bad argument, a figure that cannot be filmed, runs that
            have one record alone, or a missing ffmpeg.

        Warns
        -----
        UserWarning
            If there are fewer records than frames.
        """
        from particlegvi import films

        parts.listening(progress)
        entry = films.figure_for(self.scenario, figure, options, lambda: self.kind.figure(list(self.values())))
        assert entry is not None
        path = films.file_beside(self.place, self.name, entry["kind"]) if out is None else out
        settings = films.checked(path, frames, seconds, width, even=even, loop=loop, overwrite=overwrite)
        with listening(progress) as heard:
            films.film(self.followed(heard), entry, settings, heard)
        self.note_pictures([settings.path])
        return settings.path

    @property
    def place(self) -> Path | None:
        """The folder where they are saved, if they are."""
        return None

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Put pictures on record where they are in the folder of these runs."""

    def followed(self, progress: Progress | None = None) -> Self:
        """The runs with records on the way: those that keep their end alone are simulated again where they can be."""
        found = copy.copy(self)
        vars(found).update(_runs={label: self.kind.followed(run, progress) for label, run in self.items()})
        return found
