"""A film as its writers see it: numbered frames; the record that each shows, and its duration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array

EARLY = 0.1  # half of the frames are for this part of the time
HELD = 1.0  # seconds of the first frame, and of the last
FASTEST = 50  # frames a second; viewers slow a film down whose frames are shorter


def chosen(times: Array, frames: int, even: bool = False) -> NDArray[np.intp]:
    """The records that the frames show, ascending and each once, the first and the last among them.

    Half of the frames show the first tenth of the time, where particles move most, if it has so many records. With
    ``even`` the frames are at equal times. The times (records,) ascend; at most as many frames as there are records,
    and at least two, are used.
    """
    count = min(frames, len(times))
    share = np.linspace(0.0, 1.0, count)
    wanted = times[0] + (times[-1] - times[0]) * (share if even else share ** (math.log(EARLY) / math.log(0.5)))
    middles = 0.5 * (times[1:] + times[:-1])
    nearest = np.searchsorted(middles, wanted)
    # Each record once: move up what would be shown twice, and down what would be pushed over the end.
    order = np.arange(count)
    raised = np.maximum.accumulate(nearest - order) + order
    return np.minimum(raised, len(times) - count + order)


def lengths(frames: int, seconds: float) -> list[float]:
    """The durations of the frames, ``seconds`` together; a ValueError for more than 50 frames a second.

    The first and the last frame last a second each, so that a repeated film can be read; in a film of less than four
    seconds a quarter of its length.
    """
    if frames == 2:
        return [0.5 * seconds, 0.5 * seconds]
    held = min(HELD, 0.25 * seconds)
    if frames > most_frames(seconds):
        most = f"at most {most_frames(seconds)} in a film of {seconds:g} seconds"
        raise ValueError(f"frames must be {most}, not {frames}")
    return [held, *([(seconds - 2.0 * held) / (frames - 2)] * (frames - 2)), held]


def most_frames(seconds: float) -> int:
    """The largest number of frames of a film of this length."""
    return int(FASTEST * (seconds - 2.0 * min(HELD, 0.25 * seconds))) + 2


class Film(NamedTuple):
    """The frames of a film."""

    frame: Callable[[int], NDArray[np.uint8]]  # draws the frame of a number, (height, width, 3)
    seconds: Sequence[float]  # duration of each frame
    rounds: int  # how often the film is played, if its format has such an entry; 0 is without end
    hear: Callable[[int], None]  # called with the number of frames done

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        """All frames, one after the other."""
        for number in range(len(self.seconds)):
            yield self.frame(number)
            self.hear(number + 1)

    def ticks(self, a_second: int) -> list[int]:
        """The durations of the frames in whole parts of a second; their sum is that of the film to one part."""
        ends = np.rint(a_second * np.cumsum(self.seconds)).astype(int)
        return [int(each) for each in np.diff(ends, prepend=0)]
