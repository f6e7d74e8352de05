"""The command: its JSON, its exit codes, its table, its folder, with claims of the test's own."""

import json

import pytest

from particlegvi.cli import main
from particlegvi.verification import claims
from particlegvi.verification.claim import Check, Claim
from particlegvi.verification.picture import Picture


def made(label, right, wrong):
    class Fake(Claim):
        """A number and a bound. Wrong: another number."""

        name, claim, source, wrong = label, f"the claim of {label}", "no source", "another number"

        def measure(self, seed, wrong, picture):
            value = others if wrong else own
            if isinstance(value, BaseException):
                raise value
            picture.dots([0.0], [value])
            return Check("a number", value, 1.0)

    own, others = right, wrong
    return Fake


@pytest.fixture
def registered(monkeypatch):
    """Registers fakes in place of the claims."""

    def register(**values):
        monkeypatch.setattr(claims.registry, "_parts", {name: made(name, *pair) for name, pair in values.items()})

    return register


def test_all_well(registered, capsys):
    registered(first=(0.5, 2.0), second=(0.25, 3.0))
    assert main(["verify"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["claim", "measured", "bound", "verdict", "control"]
    assert lines[1].split() == ["first", "0.5", "<=", "1", "holds", "failed"]
    assert "2 of 2 claims hold, 2 of 2 wrong variants fail" in lines[4]


def test_json_is_the_contract_and_nothing_else(registered, capsys):
    registered(first=(0.5, 2.0), second=(1.5, 3.0))
    assert main(["verify", "--json"]) == 1
    captured = capsys.readouterr()
    first, second = json.loads(captured.out)
    assert captured.err == ""
    expected = {
        "name": "first", "claim": "the claim of first", "source": "no source", "measured": 0.5, "bound": 1.0,
        "verdict": "holds", "control": "failed", "relation": "<=", "control_measured": 2.0,
    }  # fmt: skip
    assert expected.items() <= first.items()
    assert second["verdict"] == "fails"


@pytest.mark.parametrize(
    ("pair", "word"),
    [
        ((0.5, 0.7), "the wrong variant should fail and does not: another number"),
        ((1.5, 2.0), "a number: 1.5, which should be <= 1"),
        ((ArithmeticError("broke"), 2.0), "the experiment: ArithmeticError: broke"),
        ((0.5, ArithmeticError("broke")), "the wrong variant: ArithmeticError: broke"),
        ((float("nan"), 2.0), "a number: nan"),
    ],
)
def test_anything_bad_makes_the_exit_code_one(registered, capsys, pair, word):
    registered(first=(0.5, 2.0), second=pair)
    assert main(["verify", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert word in out and "first" not in out
    assert main(["verify", "first", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["verify", "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_the_folder(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0), second=(ArithmeticError("broke"), 2.0))
    out = tmp_path / "deep" / "report"
    assert main(["verify", "--out", str(out)]) == 1
    assert sorted(path.name for path in out.iterdir()) == ["first.png", "verify.json"]
    first, second = json.loads((out / "verify.json").read_text())
    assert first["figure"] == "first.png" and second["figure"] is None
    capsys.readouterr()
    assert main(["verify", "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    (out / "mine.txt").write_text("kept")
    assert main(["verify", "first", "--out", str(out), "--overwrite", "--no-figure"]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["mine.txt", "verify.json"]
    (rows,) = json.loads((out / "verify.json").read_text())
    assert "figure" not in rows


def test_a_folder_of_something_else_is_not_overwritten(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0))
    (tmp_path / "first.png").write_text("mine")
    assert main(["verify", "--out", str(tmp_path), "--overwrite"]) == 2
    assert "not the folder of a report" in capsys.readouterr().err
    assert (tmp_path / "first.png").read_text() == "mine"
    for place in ("", str(tmp_path / "first.png"), str(tmp_path / "first.png" / "below")):
        assert main(["verify", "--out", place]) == 2


def test_an_interrupted_run_leaves_what_is_done(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0), second=(KeyboardInterrupt(), 2.0))
    out = tmp_path / "report"
    assert main(["verify", "--out", str(out)]) == 130
    assert [row["name"] for row in json.loads((out / "verify.json").read_text())] == ["first"]
    assert "interrupted" in capsys.readouterr().err


def test_a_picture_that_fails_leaves_the_verdict(registered, tmp_path, capsys, monkeypatch):
    registered(first=(0.5, 2.0))
    monkeypatch.setattr(Picture, "draw", lambda *_: 1 / 0)
    assert main(["verify", "--json", "--out", str(tmp_path / "report")]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)[0]["figure"] is None
    assert "first.png cannot be drawn" in captured.err
