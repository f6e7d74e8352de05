"""A film for the writers of files: numbered frames and their durations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Film(NamedTuple):
    """The frames of a film.

    Attributes
    ----------
    frame : callable
        ``frame(number)`` draws one, an array (height, width, 3) of bytes.
    seconds : sequence of float
        Duration of each frame.
    rounds : int
        How often the film is played, if its format has such an entry; 0 is without end.
    hear : callable
        Called with the number of frames done.
    """

    frame: Callable[[int], NDArray[np.uint8]]
    seconds: Sequence[float]
    rounds: int
    hear: Callable[[int], None]

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        """All frames, one after the other."""
        for number in range(len(self.seconds)):
            yield self.frame(number)
            self.hear(number + 1)

    def ticks(self, a_second: int) -> list[int]:
        """The durations of the frames in whole parts of a second; their sum is that of the film to one part."""
        ends = np.rint(a_second * np.cumsum(self.seconds)).astype(int)
        return [int(each) for each in np.diff(ends, prepend=0)]
