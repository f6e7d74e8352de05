"""Colour on terminals: never where output is piped, and as it is asked for."""

import io

import pytest

from particlegvi import cli
from particlegvi.cli import colour

RUN = ["run", "lifting", "--set", "particles=5", "--set", "steps=3", "--no-figure"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "choice", "terminal", "wanted"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({"NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": ""}, "auto", True, True),
        ({"FORCE_COLOR": "1"}, "auto", False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "auto", True, False),
        ({"TERM": "dumb"}, "auto", True, False),
        ({"NO_COLOR": "1"}, "always", False, True),
        ({"FORCE_COLOR": "1"}, "never", True, False),
    ],
)
def test_who_decides(variables, choice, terminal, wanted, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(colour, "_asked", [choice])
    assert colour.is_wanted(Terminal() if terminal else io.StringIO()) is wanted


def test_piped_output_has_no_escape(monkeypatch, capsys, elsewhere):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert cli.main(RUN) == 0
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert cli.main([*RUN, "--color", "always"]) == 0
    coloured = capsys.readouterr().out
    assert "\x1b[38;2;0;114;178mDLE\x1b[0m" in coloured and "\x1b[1m" in coloured
    assert cli.main([*RUN, "--color", "blue"]) == 2
    assert cli.main(["run", "global-minimise", "--color", "never"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "labels", "verdicts", "expected"),
    [
        ("DE  1.0 DE\nDEX  2", ["DE"], (), "<DE>  1.0 DE\nDEX  2"),
        ("DLE: at rest since t = 3: W1", ["DLE"], ["at rest since t = 3"], "<DLE>: <at rest since t = 3>: W1"),
        ("## w1, DLE\n\nDLE, then", ["DLE"], (), "## w1, <DLE>\n\nDLE, then"),
        ("a.c  1\nabc  2", ["a.c"], (), "<a.c>  1\nabc  2"),
        ("a  3 <= 4  holds    failed\nit fails_not", (), colour.TESTED, "a  3 <= 4  <holds>    <failed>\nit fails_not"),
        ("self-test  passed in 1 s", (), colour.TESTED, "self-test  <passed> in 1 s"),
    ],
)
def test_what_is_painted(text, labels, verdicts, expected):
    painted = colour.painted(text, labels, verdicts)
    plain = painted.replace(colour.RESET, ">")
    for escape in (colour.BOLD, *("\x1b[38;2;{};{};{}m".format(*each) for each in colour.METHODS.values())):
        plain = plain.replace(escape, "<")
    assert plain == expected


def test_the_colours_are_those_of_the_figures():
    from particlegvi.plotting import palettes

    text = str(palettes.PALETTES["light"])
    for numbers in colour.METHODS.values():
        assert "#{:02X}{:02X}{:02X}".format(*numbers) in text.upper()
