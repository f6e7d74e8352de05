"""Settings of a film, checked before anything is simulated, drawn or written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

from particlegvi.plotting.films import pace, video
from particlegvi.plotting.films.pace import Film
from particlegvi.tools import arguments, files
from particlegvi.tools.quoting import shown

SUFFIXES = (".gif", ".webp", ".mp4")
FRAMES = 120  # by default
FEWEST = 24  # frames with which particles move smoothly
ROUNDS = 3  # what moves for more than five seconds must stop by itself (Web Content Accessibility Guidelines, 2.2.2)
LENGTH = "a number of seconds from 0.1 to 3600"


class FilmSettings:
    """The settings of a film, checked when they are made; `particlegvi.runs.results.Results.animate` explains them.

    Attributes
    ----------
    path : Path
        The file of the film.
    write : callable
        ``write(film, file)`` writes the format of that file.
    frames, seconds, width, even
        The arguments.
    wanted : int
        Number of frames below which a warning says that the records are few.
    rounds : int
        How often the film is played; 0 is without end.
    """

    def __init__(
        self,
        out: str | os.PathLike[str],
        frames: int | None = None,
        seconds: float = 8.0,
        width: int = 800,
        *,
        even: bool = False,
        loop: bool = False,
        overwrite: bool = False,
    ) -> None:
        self.width = arguments.whole("width", width, 100, 4096)
        self.seconds = arguments.real("seconds", seconds, LENGTH)
        if not 0.1 <= self.seconds <= 3600.0:
            raise arguments.refuse("seconds", seconds, LENGTH)
        self.frames = min(FRAMES, pace.most_frames(self.seconds))
        self.wanted = min(FEWEST, self.frames)
        if frames is not None:
            self.frames = self.wanted = arguments.whole("frames", frames, 2, 5000)
        pace.lengths(self.frames, self.seconds)
        self.even = arguments.flag("even", even)
        self.rounds = 0 if arguments.flag("loop", loop) else ROUNDS
        self.path = file_for(out, arguments.flag("overwrite", overwrite))
        self.write: Callable[[Film, IO[bytes]], None] = writer(self.path.suffix.lower())


def file_for(out: str | os.PathLike[str], overwrite: bool) -> Path:
    """The file of the film: of a known suffix, in a folder that exists, and new unless it may be overwritten."""
    try:
        path = files.place("out", out, "a file")
    except ValueError:
        raise arguments.refuse("out", out, "the path of a file") from None
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"out must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, not be {shown(str(path))}")
    if not path.parent.is_dir():
        raise ValueError(f"out must be a file in a folder that exists, and there is no folder {path.parent}")
    if path.is_dir():
        raise ValueError(f"out must be a file, not the folder {path}")
    if path.exists() and not overwrite:
        raise ValueError(f"{path} exists already; give another out, or overwrite it")
    return path


def writer(suffix: str) -> Callable[[Film, IO[bytes]], None]:
    """The function that writes films of a suffix; a ValueError where that needs a program that is missing."""
    if suffix == ".mp4":
        video.program()
        return video.write
    from particlegvi.plotting.films import pictures

    return {".gif": pictures.write_gif, ".webp": pictures.write_webp}[suffix]
