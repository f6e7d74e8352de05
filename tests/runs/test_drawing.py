"""A run keeps its folder until its pictures are drawn: what happens to it, and to others, in between."""

import signal
import subprocess
import sys

import pytest

import particlegvi as pg
from particlegvi import cli, plotting

from .interrupting import manifest, slow

SHORT = ["--set", "particles=4", "--set", "steps=3", "--quiet"]
SLOW = """
import sys, time
from particlegvi import cli, plotting
plotting.draw = lambda *_: (print("drawing", flush=True), time.sleep(60))
sys.exit(cli.main(sys.argv[1:]))
"""


def status(folder):
    return manifest(folder)["status"]


def drawing(folder, code):
    """A process that is drawing the pictures of a run, which takes it a minute."""
    command = [sys.executable, "-c", code, "run", "lifting", *SHORT, "--out", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "drawing\n"
    return process


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), slow(signal.SIGTERM, 143)])
def test_stopped_while_drawing(tmp_path, number, code, capsys):
    folder = tmp_path / "a b"
    process = drawing(folder, SLOW)
    process.send_signal(number)
    err = process.communicate(timeout=30)[1]
    assert process.returncode == code
    (line,) = err.splitlines()
    assert line.endswith(f"to go on say: particlegvi resume '{folder}'")  # as a shell wants it
    assert (status(folder), pg.load(folder).status) == ("simulated", "finished")
    assert cli.main(["resume", str(folder), "--quiet"]) == 0
    assert status(folder) == "finished" and manifest(folder)["figures"]
    assert capsys.readouterr().err == ""


@pytest.mark.thorough
def test_no_room_for_pictures(tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device", "picture.png")

    with monkeypatch.context() as patch:
        patch.setattr(plotting, "draw", full)
        assert cli.main(["run", "lifting", *SHORT, "--out", str(tmp_path / "run")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left" in line and line.endswith(f"particlegvi resume {tmp_path / 'run'}")
    assert status(tmp_path / "run") == "simulated"
    folder = tmp_path / "run"
    assert cli.main(["resume", str(folder), "--size", "3:2"]) == 2
    assert "size must be" in capsys.readouterr().err and status(folder) == "simulated"
    assert cli.main(["resume", str(folder), "--quiet", "--size", "4:3", "--palette", "dark", "--format", "svg"]) == 0
    assert not list(folder.glob("*.png")) and "style" not in (folder / "scenario.toml").read_text()
    (picture,) = folder.glob("*.svg")
    assert manifest(folder)["figures"] == [picture.name]
    before = picture.read_bytes()
    assert cli.main(["resume", str(folder), "--language", "de"]) == 0
    assert f"to draw its pictures in this style say: particlegvi plot {folder}" in capsys.readouterr().out
    assert picture.read_bytes() == before


def test_the_lock_is_held_while_drawing_and_given_back(tmp_path, monkeypatch, capsys):
    """Nobody else writes meanwhile, and a reader may read."""
    place = tmp_path / "run"

    def attempt(results, folder, *_, **__):
        for command in (["resume", str(place)], ["run", "lifting", *SHORT, "--overwrite", "--out", str(place)]):
            assert cli.main(command) == 2
            assert "another process" in capsys.readouterr().err
        assert pg.load(folder).status == "finished"
        return []

    monkeypatch.setattr(plotting, "draw", attempt)
    assert cli.main(["run", "lifting", *SHORT, "--out", str(place)]) == 0
    assert not (place / "lock").exists()
