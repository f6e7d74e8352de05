"""The package that ``new-plugin`` writes: it installs without the network, and passes its own tests."""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

from particlegvi.cli import main

from ..interpreters import python


def test_it_is_written_whole_and_never_over_anything(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-plugin", "river-stones"]) == 0
    assert "pip install -e './river-stones[test]'" in capsys.readouterr().out
    every = [place for place in Path("river-stones").rglob("*") if place.is_file()]
    assert not [place for place in every if "NAME" in place.read_text() or "MODULE" in place.read_text()]
    for place in every:
        if place.suffix == ".py":
            compile(place.read_text(), str(place), "exec")
    project = tomllib.loads(Path("river-stones/pyproject.toml").read_text())["project"]
    for entry in (each for table in project["entry-points"].values() for each in table.values()):
        module, _, name = entry.partition(":")
        place = Path("river-stones", *module.split("."))
        assert place.is_dir() if not name else re.search(rf"(class|def) {name}\(", place.with_suffix(".py").read_text())
    assert main(["new-plugin", "river-stones"]) == 2
    assert "river-stones exists and is left as it is" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["River", "particlegvi", "json", "class", "a/b", "..", "-x", "a" * 41])
def test_a_bad_name_is_refused(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new-plugin", "--", name]) == 2
    assert "NAME must be" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


TRY = """
import pytest
from particlegvi.cli import main
pytest.main(["-q", "-p", "no:cacheprovider", "river-stones"])
print("listed:")
main(["list", "--parts", "--json"])
"""


@pytest.mark.slow
def test_it_installs_into_a_fresh_environment_and_passes_its_tests(root, tmp_path, monkeypatch):
    pytest.importorskip("pip")
    monkeypatch.chdir(tmp_path)
    assert main(["new-plugin", "river-stones"]) == 0
    venv.create("fresh", symlinks=os.name != "nt")
    site = sysconfig.get_path("purelib", "venv", {"base": str(tmp_path / "fresh")})
    others = [sysconfig.get_path("purelib"), *(each for each in sys.path if each.endswith("site-packages"))]
    Path(site, "others.pth").write_text("\n".join(dict.fromkeys(others)))  # numpy, numba, pytest, ...
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check"]
    python("-m", "pip", "install", *offline, "--prefix", "fresh", "./river-stones")
    assert (Path(site) / "river_stones" / "scenarios" / "river-stones-first.toml").is_file()
    fresh = Path("fresh", "Scripts/python.exe" if os.name == "nt" else "bin/python")
    passed, _, listed = python("-c", TRY, program=fresh, PYTHONPATH=str(root)).stdout.partition("listed:")
    assert "4 passed" in passed
    listed = json.loads(listed)
    own = {(each["kind"], each["name"], each["problem"]) for each in listed if each["origin"] == "river-stones 0.1.0"}
    kinds = {"losses": "ripples", "methods": "momentum", "claims": "recursion", "scenarios": "first"}
    assert own == {(kind, f"river-stones-{name}", "") for kind, name in kinds.items()}
