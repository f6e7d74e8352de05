"""Files are there whole or not at all, and reading one never waits or runs away."""

import os

import pytest

import particlegvi as pg
from particlegvi.tools import files, machine

from ..refusals import refuse


def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_after(tmp_path, monkeypatch):
    told, replace = [], os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: told.append("flushed"))
    monkeypatch.setattr(os, "replace", lambda *places: told.append("renamed") or replace(*places))
    files.write_text(tmp_path / "a.txt", "x")
    assert told == ["flushed", "renamed", "flushed"]
    (tmp_path / "b.txt").touch()
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode  # as the umask has it
    files.write_text(tmp_path / "a.txt", "x", flush=False)
    assert told[3:] == ["renamed"]


def test_a_failed_write_leaves_the_old_content_and_no_other_file(tmp_path):
    place = tmp_path / "a.txt"
    files.write_text(place, "old")

    def fail(file):
        file.write(b"half of the n")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        files.write(place, fail)
    refuse(lambda: files.write_json(place, {"x": float("nan")}), "not JSON compliant")
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_what_is_no_file_or_too_large_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "absent", tmp_path / "pipe", "/dev/zero", "nul\0", tmp_path / ("x" * 300)):
        refuse(lambda place=place: files.read_text(place), "cannot be read|is not a file")
    (tmp_path / "a").write_text("x" * 51)
    refuse(lambda: files.read_text(tmp_path / "a", largest=50), "more than 50 bytes")
    assert len(files.read_text(tmp_path / "a", largest=51)) == 51


def test_devices_are_no_names(elsewhere):
    assert all(map(machine.is_device, ["aux", "CON", "nul", "Com1", "lpt9", "aux.txt"]))
    assert not any(map(machine.is_device, ["auxiliary", "com", "com0", "DE", "console", "lpt10"]))
    for over in ({"methods": {"aux": {"method": "DLE", "kl_weight": 1.0}}}, {"name": "con"}):
        refuse(lambda over=over: pg.run("lifting", particles=2, steps=1, **over), "devices, such as aux")
