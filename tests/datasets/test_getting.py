"""Files made from raw ones: looked for in folders and archives, verified, and never written over another file."""

from __future__ import annotations

import gzip
import hashlib
import zipfile

import pytest

from particlegvi import datasets
from particlegvi.datasets import fetching, reading

from ..refusals import refuse
from . import toy


@pytest.fixture
def house(tmp_path, monkeypatch):
    """The made catalogue, an empty folder of data, and the folder of this test; a download would fail."""
    toy.use(monkeypatch, tmp_path)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "flowers.txt").write_text(toy.FLOWERS)
    (tmp_path / "red.csv").write_text(toy.RED)
    return tmp_path


def zipped(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/"), text)
    return path


def sources(house):
    """Each form in which a user may have the raw file of the set flowers."""
    (house / "finished.csv").write_text(toy.KINDS)
    (house / "finished.csv.gz").write_bytes(gzip.compress(toy.KINDS.encode()))
    (house / "raw.gz").write_bytes(gzip.compress(toy.FLOWERS.encode()))
    (house / "made").mkdir()
    (house / "made" / "flowers.csv").write_text(toy.KINDS)
    return [
        house / "raw" / "flowers.txt", house / "raw", house, str(house), house / "finished.csv", house / "made",
        house / "finished.csv.gz", house / "raw.gz", zipped(house / "whole.zip", repo__raw__flowers__txt="", **{
            "repo/raw/flowers.txt": toy.FLOWERS}),
    ]  # fmt: skip


def test_every_form_of_a_raw_file_gives_the_same_bytes(house, monkeypatch):
    packed = set()
    for number, source in enumerate(sources(house)):
        monkeypatch.setenv("PARTICLEGVI_DATA", str(house / f"sets-{number}"))
        path = datasets.convert("flowers", source)
        assert path == house / f"sets-{number}" / "flowers.csv.gz"
        assert [each.name for each in path.parent.iterdir()] == ["flowers.csv.gz"]
        packed.add(path.read_bytes())
        data = datasets.load("flowers")
        assert data.X.tolist() == [[1.0], [3.0]] and data.y.tolist() == [0.0, 1.0]
    assert len(packed) == 1 and gzip.decompress(packed.pop()).decode() == toy.KINDS


def test_two_raw_files_are_joined(house):
    sentence = refuse(lambda: datasets.convert("wine-red", house), "does not hold white.csv, of which")
    assert "nothing is written" in sentence and not (house / "sets").exists()
    refuse(lambda: datasets.convert("wine-red", house / "red.csv"), "does not hold red.csv and white.csv, of which")
    (house / "white.csv").write_text(toy.WHITE)
    assert datasets.convert("wine-red", house) == datasets.convert("wine-white", house)
    assert datasets.load("wine-red").y.tolist() == [2.0, 4.0] and datasets.load("wine-white").y.tolist() == [0.5]


def test_an_archive_is_read_without_following_its_paths(house):
    member = {"../../raw/flowers.txt": toy.FLOWERS, "/etc/passwd": "x"}
    archive = zipped(house / "raw" / "flowers.zip", **member)
    for source in (archive, house / "raw"):  # the archive itself, and the folder that holds it
        datasets.convert("packed", source)
    assert {each.name for each in house.iterdir()} == {"raw", "red.csv", "sets"}
    broken = archive.read_bytes().replace(b"A 1.0 red", b"A 9.0 red")
    (house / "broken.zip").write_bytes(broken)
    refuse(lambda: datasets.convert("packed", house / "broken.zip"), "cannot be unpacked: Bad CRC")


def test_other_data_are_refused_in_one_sentence(house, monkeypatch):
    file = house / "raw" / "flowers.txt"
    file.write_text(toy.FLOWERS + "E 5.0 red\n")
    words = refuse(lambda: datasets.convert("flowers", file), "3 rows found, 2 expected, and the sha256")
    assert str(file) in words and "nothing is written" in words
    file.write_text(toy.FLOWERS.replace("3.0", "3.1"))
    refuse(lambda: datasets.convert("flowers", file), "2 rows found, 2 expected, and the sha256")
    file.write_text(toy.FLOWERS + "E five red\n")
    refuse(lambda: datasets.convert("flowers", file), "line 7 of raw/flowers.txt is not a row of 2 numbers")
    refuse(lambda: datasets.convert("flowers", house / "nowhere"), "nowhere cannot be read")
    refuse(lambda: datasets.convert("flowrs", house), 'there is no data set "flowrs"; did you mean "flowers"')
    monkeypatch.setattr(reading, "LARGEST", 20)  # a packed file that is large when it is unpacked
    file.write_bytes(gzip.compress(toy.FLOWERS.encode()))
    refuse(lambda: datasets.convert("flowers", file), "rows found, 2 expected")
    assert not (house / "sets").exists()


# The names are our own: those of packed bytes would have the time in them, another one in each process of the tests.
@pytest.mark.parametrize(
    "there", [gzip.compress(b"mine"), b"mine", gzip.compress(toy.KINDS.encode())[:-9]], ids=["packed", "plain", "cut"]
)
def test_no_file_is_written_over(there, house):
    place = datasets.convert("flowers", house)
    before = place.stat().st_mtime_ns
    assert datasets.convert("flowers", house) == place and place.stat().st_mtime_ns == before
    place.write_bytes(there)
    refuse(lambda: datasets.convert("flowers", house), "is another file|cannot be unpacked")
    assert place.read_bytes() == there
    assert [each["state"] for each in datasets.available() if each["name"] == "flowers"] == ["wrong"]


def test_a_download_is_converted_and_verified(house, monkeypatch):
    archive = zipped(house / "flowers.zip", **{"raw/flowers.txt": toy.FLOWERS}).read_bytes()
    served = {"red.csv": toy.RED.encode(), "white.csv": toy.WHITE.encode(), "flowers.zip": archive}
    served = {f"https://example.org/{name}": content for name, content in served.items()}
    monkeypatch.setattr(fetching, "fetch", served.__getitem__)
    for name in ("wine-red", "packed"):
        content = gzip.decompress(datasets.download(name).read_bytes())
        assert hashlib.sha256(content).hexdigest() == reading.entries(name)[1]["sha256"]
    served["https://example.org/raw/flowers.txt"] = b"<html>moved</html>"
    refuse(lambda: datasets.download("flowers"), "https://example.org/ is not what .* 0 rows found, 2 expected")
