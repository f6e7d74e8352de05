"""``particlegvi new`` and ``particlegvi show KEY``."""

from __future__ import annotations

import tomllib

import pytest

from particlegvi import cli
from particlegvi.scenario import explaining, load
from particlegvi.scenario.kinds.particles.keys import KEYS
from particlegvi.scenario.writing import write_template


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("loss", "variables"),
    [("x^2/2 + 3*cos(2*y) + y^2/4", None), ("b + a^2", ["a", "b"]), ("ring", None), ("x^2+y^2+z^2", None), ('"', None)],
)
def test_what_is_written_is_what_would_be_chosen(loss, variables, tmp_path):
    place = tmp_path / "mine.toml"
    if loss == '"':
        with pytest.raises(ValueError, match="loss: formula"):
            write_template(place, loss)
        assert not place.exists()
        return
    write_template(place, loss, variables)
    entry = {"formula": loss, "variables": variables} if variables else loss
    assert load(place) == load({"name": "mine", "loss": entry})
    content = place.read_text()
    assert content.count("#") > 10 and max(map(len, content.splitlines())) <= 120
    assert {"particles", "steps", "step_size", "methods"} <= set(tomllib.loads(content))
    before = place.read_bytes()
    with pytest.raises(ValueError, match="exists and is left as it is"):
        write_template(place, "t^2")
    assert place.read_bytes() == before


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "a.toml", "--loss", "u^2 + v", "--variables", "v", "u"]) == 0
    assert "particlegvi run a.toml" in capsys.readouterr().out
    assert load("a.toml")["loss"]["variables"] == ["v", "u"]
    for line in (["new", "a.toml"], ["new", "b"], ["new", "absent/c.toml"], ["new", "d.toml", "--loss", "2x"]):
        assert cli.main(line) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.toml"]


def test_every_key_is_explained(capsys):
    assert cli.main(["show", "--keys"]) == 0
    told = capsys.readouterr().out
    assert [line for line in told.splitlines() if not line.startswith(" ")] == list(KEYS)
    for name in KEYS:
        assert cli.main(["show", name]) == 0
        assert capsys.readouterr().out.startswith(f"{name}\n    ")
    for kind in ("function-space", "table"):
        assert "figures" in explaining.every_key(kind)


def test_a_key_of_a_method_is_explained_by_the_method(capsys):
    assert cli.main(["show", "methods.DLE.kl_weight"]) == 0
    assert "temperature" in capsys.readouterr().out
    assert cli.main(["show", "methods.DLE.kl"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert cli.main(["show"]) == 2
