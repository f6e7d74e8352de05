"""The words for what a run does, and who is told."""

from __future__ import annotations

import pytest

from particlegvi.tools import stages


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0, ""), (0.6, ": about 1 s"), (7.6, ": about 8 s"), (28.0, ": about 30 s"), (62.0, ": about 60 s")],
)
def test_the_words_round_the_seconds(seconds, expected):
    assert stages.words("compiling", seconds) == "compiling for this machine, once" + expected


def test_only_those_with_a_method_stage_are_told():
    told = []

    class Listening:
        def stage(self, *what):
            told.append(what)

    for progress in (None, print, Listening()):
        stages.tell(progress, "pictures", total=2)
    assert told == [("pictures", 0, 2, 0.0)]
