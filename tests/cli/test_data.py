"""The command ``data``: the list, one screen that says how to get a set, files made, and its exit codes."""

from __future__ import annotations

import json

import pytest

from particlegvi import datasets
from particlegvi.cli import main
from particlegvi.datasets import fetching

from ..datasets import toy


@pytest.fixture
def house(tmp_path, monkeypatch):
    toy.use(monkeypatch, tmp_path)
    (tmp_path / "flowers.txt").write_text(toy.FLOWERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, *line):
    code = main(["data", *line])
    return code, *capsys.readouterr()


def test_the_list_says_where_each_set_is(house, capsys):
    datasets.convert("flowers", house)
    code, out, err = said(capsys)
    lines = {line.split()[0]: line.split() for line in out.splitlines()}
    assert (code, err) == (0, "") and list(lines) == ["name", "flowers", "packed", "wine-red", "wine-white"]
    assert lines["flowers"] == ["flowers", "2", "classification", str(house / "sets"), "none", "here"]
    assert lines["wine-white"][:4] == ["wine-white", "1", "regression", "missing"]
    assert json.loads(said(capsys, "--json")[1]) == datasets.available()
    assert [each["name"] for each in json.loads(said(capsys, "packed", "--json")[1])] == ["packed"]


def test_a_missing_set_is_one_screen(house, capsys):
    code, out, err = said(capsys, "wine-red")
    assert (code, err) == (1, "") and len(out.splitlines()) < 20
    for part in ("https://example.org/red.csv", "https://example.org/white.csv", "--from .", "--download", "none"):
        assert part in out
    assert "particlegvi data flowers --from flowers.txt" in said(capsys, "flowers")[1]
    assert "particlegvi data packed --from flowers.zip" in said(capsys, "packed")[1]
    assert not (house / "sets").exists()


def test_files_are_made_and_found_again(house, capsys):
    place = house / "sets" / "flowers.csv.gz"
    assert said(capsys, "flowers", "--from", "flowers.txt") == (0, f"flowers: {place} is right\n", "")
    assert said(capsys, "flowers") == (0, f"flowers: {place} is right (sha256)\n", "")
    place.write_bytes(b"mine")
    code, out, _ = said(capsys, "flowers")
    assert code == 1 and f"{place} is not the right file: move it away" in out
    assert "not the right file" in said(capsys)[1] and place.read_bytes() == b"mine"


def test_all_makes_what_it_can(house, capsys):
    code, out, err = said(capsys, "all", "--from", ".")
    assert code == 2 and [line.split(":")[0] for line in out.splitlines()] == ["flowers", "packed"]
    assert err.count("does not hold red.csv and white.csv") == 2
    assert said(capsys, "all")[0] == 1


def test_a_download_is_made_when_it_is_asked_for(house, capsys, monkeypatch):
    def absent(address):
        raise OSError(f"{address} cannot be downloaded: HTTP Error 404")

    monkeypatch.setattr(fetching, "fetch", absent)
    code, _, err = said(capsys, "flowers", "--download")
    assert (code, err.count("\n")) == (1, 1) and "flowers.txt cannot be downloaded: HTTP Error 404" in err
    monkeypatch.setattr(fetching, "fetch", lambda _: toy.FLOWERS.encode())
    assert said(capsys, "flowers", "--download")[0] == 0 and said(capsys, "flowers")[0] == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--download"], "data needs the NAME of a data set, or all"),
        (["--from", "."], "data needs the NAME of a data set, or all"),
        (["flowers", "--from", ".", "--download"], "not both"),
        (["flowers", "flowrs", "--from", "."], 'did you mean "flowers"'),
        (["flowers", "--from", "nowhere"], "nowhere cannot be read"),
    ],
)
def test_bad_lines_write_nothing(line, words, house, capsys):
    code, out, err = said(capsys, *line)
    assert (code, out, err.count("\n")) == (2, "", 1) and words in err
    assert not (house / "sets").exists()
