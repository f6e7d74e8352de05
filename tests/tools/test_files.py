"""Files are there whole or not at all, and reading one never waits or runs away."""

from __future__ import annotations

import json
import os

import pytest

from particlegvi.tools import files, system


def test_what_is_written_is_read(tmp_path):
    files.write_text(tmp_path / "a.txt", "naïve\n")
    assert files.read_text(tmp_path / "a.txt") == "naïve\n"
    files.write_json(tmp_path / "a.json", {"x": [1, 2.5, None]})
    assert files.read_json(tmp_path / "a.json") == {"x": [1, 2.5, None]}


def test_replacing_is_tried_again_on_windows_only(tmp_path, monkeypatch):
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("old")
    plain, refusals = os.replace, [3]

    def replace(source, target):
        if refusals[0] > 0:
            refusals[0] -= 1
            raise PermissionError(13, "in use")
        plain(source, target)

    monkeypatch.setattr(files.os, "replace", replace)
    monkeypatch.setattr(files, "PAUSE", 0.001)
    with pytest.raises(PermissionError):
        files.replace(tmp_path / "new", tmp_path / "old")
    assert refusals == [2]
    monkeypatch.setattr(system, "WINDOWS", True)
    files.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old").read_text() == "new"
    refusals[0] = files.TRIES
    (tmp_path / "new").write_text("new")
    with pytest.raises(PermissionError):
        files.replace(tmp_path / "new", tmp_path / "old")


def test_a_failed_write_leaves_the_old_content_and_no_other_file(tmp_path):
    place = tmp_path / "a.txt"
    files.write_text(place, "old")

    def fail(file):
        file.write(b"half of the n")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        files.write(place, fail)
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write_json(place, {"x": float("nan")})
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_the_mode_of_a_file_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        files.write_text(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "UTF-8"),
        (b"{", "not valid JSON"),
        (b"[1]", "JSON object, not list"),
        (b"[" * 100_000, "not valid JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_bad_content_is_one_sentence(tmp_path, content, words):
    place = tmp_path / "a.json"
    place.write_bytes(content)
    with pytest.raises(ValueError, match=words) as caught:
        files.read_json(place)
    assert str(place) in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "absent", tmp_path / "pipe", "/dev/zero", "nul\0", tmp_path / ("x" * 300)):
        with pytest.raises(ValueError, match="cannot be read|is not a file"):
            files.read_text(place)


def test_the_limit_holds(tmp_path):
    (tmp_path / "a").write_text(json.dumps({"a": "x" * 100}))
    with pytest.raises(ValueError, match="more than 50 bytes"):
        files.read_text(tmp_path / "a", largest=50)
