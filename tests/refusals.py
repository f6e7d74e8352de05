"""Bad input: one test of many calls, each of which must be refused in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest


def refused(*cases, plain=False):
    """A test for each case, ``(call, words)``: the call is a `ValueError` of one line that matches the words.

    If the first argument is a function, the cases are its arguments and the words, as tuples or as ``pytest.param``.
    With ``plain`` the words are no regular expression.
    """
    call, cases = (cases[0], cases[1:]) if callable(cases[0]) else (lambda make: make(), cases)
    rows = [case if hasattr(case, "marks") else pytest.param(*case) for case in cases]

    @pytest.mark.parametrize("case", [pytest.param(each.values, marks=each.marks, id=each.values[-1]) for each in rows])
    def test(case: tuple) -> None:
        *given, words = case
        refuse(lambda: call(*given), re.escape(words) if plain else words)

    return test


def refuse(call: Callable[[], object], words: str = "") -> str:
    """The sentence with which a call is refused, which must match the words; a formula's shows the place below."""
    with pytest.raises(ValueError, match=words or None) as caught:
        call()
    sentence = str(caught.value)
    assert sentence.count("\n") <= 2 * ("formula" in sentence) and len(sentence) < 900
    return sentence
