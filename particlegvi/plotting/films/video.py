"""Films for players and browsers, mp4, by the program ffmpeg on the PATH, or else of imageio-ffmpeg."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from particlegvi.plotting.films.pace import FASTEST, Film

CODEC = ["-c:v", "libx264", "-crf", "20", "-movflags", "+faststart"]
# Colours are stored for two by two pixels, so both sides must be even: a white row or column is added where one is not.
EVEN = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"]


def program() -> str:
    """The path of ffmpeg; a ValueError that says how to install it if there is none."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise ValueError(
            "a film in mp4 needs the program ffmpeg: install it, or say pip install 'particlegvi[video]', "
            "which brings imageio-ffmpeg; gif and webp need neither"
        ) from None


def write(film: Film, file: IO[bytes]) -> None:
    """Write a film in mp4; a ValueError that quotes ffmpeg if it fails."""
    ffmpeg = program()
    height, width, _ = film.frame(0).shape
    with tempfile.TemporaryDirectory() as folder:
        made, said = Path(folder) / "film.mp4", Path(folder) / "said"
        command = [ffmpeg, "-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
        command += ["-s", f"{width}x{height}", "-r", str(FASTEST), "-i", "pipe:0", *EVEN, *CODEC, str(made)]
        with open(said, "wb") as hears, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=hears) as process:
            try:
                _feed(film, process)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            words = said.read_text(encoding="utf-8", errors="replace").split("\n")[0] or "without saying why"
            raise ValueError(f"{ffmpeg} could not write a film in mp4: {words}")
        with open(made, "rb") as whole:
            shutil.copyfileobj(whole, file)


def _feed(film: Film, process: subprocess.Popen[bytes]) -> None:
    """Send each frame once for each 1/50 of a second of its duration."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # ffmpeg has ended: its exit code and messages say why
        for frame, times in zip(film.frames(), film.ticks(FASTEST), strict=True):
            for _ in range(times):
                process.stdin.write(frame.tobytes())
        process.stdin.close()
