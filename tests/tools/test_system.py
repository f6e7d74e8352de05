"""What Windows refuses: the names of devices, a long path."""

from __future__ import annotations

import pytest

import particlegvi as pg
from particlegvi.tools import system


@pytest.mark.parametrize("name", ["aux", "CON", "nul", "Com1", "lpt9", "aux.txt"])
def test_devices_are_no_names(name):
    assert system.is_device(name)


@pytest.mark.parametrize("name", ["auxiliary", "com", "com0", "DE", "console", "lpt10"])
def test_names_that_only_look_like_devices(name):
    assert not system.is_device(name)


def test_no_label_and_no_scenario_has_the_name_of_a_device():
    for over in ({"methods": {"aux": {"method": "DLE", "kl_weight": 1.0}}}, {"name": "con"}):
        with pytest.raises(ValueError, match="devices, such as aux"):
            pg.run("lifting", particles=2, steps=1, **over)


def test_a_long_path_is_named_on_windows(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 150) / ("y" * 100)
    assert system.too_long(long) == ""
    monkeypatch.setattr(system, "WINDOWS", True)
    assert "260 characters" in system.too_long(long) and system.too_long("runs") == ""


def test_texts_are_written_the_same_on_every_system(root):
    """With a line end and an encoding of our choice, whatever the system prefers."""
    wrong = []
    for path in sorted((root / "particlegvi").rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text_mode = "open(" in line and any(mode in line for mode in ('"w"', '"a"', '"x"', '"r"'))
            if ".write_text(" in line and "files." not in line or text_mode:
                if "encoding=" not in line or ("newline=" not in line and '"r"' not in line):
                    wrong.append(f"{path.name}:{number}: {line.strip()}")
    assert not wrong
