"""An array that grows on the disk: numpy's own bytes at the end, and a length that can be trusted at any time."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest

from particlegvi.runs.storage.arrays import RecordFile

RECORDS = np.random.default_rng(3).normal(size=(5, 4, 2))


def grown(path, count=5):
    array = RecordFile(path, 5, (4, 2))
    for record in RECORDS[:count]:
        array.append(record)
    return array


def test_a_full_one_is_what_numpy_writes(tmp_path):
    digest = grown(tmp_path / "growing").finish(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", RECORDS)
    content = (tmp_path / "a.npy").read_bytes()
    assert content == (tmp_path / "b.npy").read_bytes()
    assert digest == hashlib.sha256(content).hexdigest()
    assert not (tmp_path / "growing").exists()


@pytest.mark.parametrize("keep", [1, 3, 4])
def test_it_is_taken_up_at_an_earlier_length(tmp_path, keep):
    array = grown(tmp_path / "growing", keep)
    digest = array.digest(keep)
    for record in RECORDS[keep:]:
        array.append(record + 1.0)  # what is to be forgotten
    array.close()
    again = RecordFile(tmp_path / "growing", 5, (4, 2), keep, digest)
    assert again.count == keep
    assert again.records().tobytes() == RECORDS[:keep].tobytes()
    for record in RECORDS[keep:]:
        again.append(record)
    again.finish(tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy").tobytes() == RECORDS.tobytes()


def test_what_comes_after_the_records_is_cut(tmp_path):
    array = grown(tmp_path / "growing")
    array.close()
    with open(tmp_path / "growing", "ab") as file:
        file.write(b"of a run that had more records")
    RecordFile(tmp_path / "growing", 5, (4, 2), 5, array.digest(5)).finish(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", RECORDS)
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


@pytest.mark.parametrize("place", [0, 20, 130, 200])
def test_a_changed_bit_is_found(tmp_path, place):
    array = grown(tmp_path / "growing", 3)
    digest = array.digest(3)
    array.close()
    content = bytearray((tmp_path / "growing").read_bytes())
    content[place] ^= 1
    (tmp_path / "growing").write_bytes(content)
    with pytest.raises(ValueError, match="damaged"):
        RecordFile(tmp_path / "growing", 5, (4, 2), 3, digest)


def test_a_file_that_is_cut_short_is_found(tmp_path):
    array = grown(tmp_path / "growing", 3)
    digest = array.digest(3)
    array.close()
    content = (tmp_path / "growing").read_bytes()
    (tmp_path / "growing").write_bytes(content[:-1])
    with pytest.raises(ValueError, match="damaged"):
        RecordFile(tmp_path / "growing", 5, (4, 2), 3, digest)


def test_an_interrupted_record_does_not_count(tmp_path):
    array = grown(tmp_path / "growing", 2)
    before = array.digest(2)

    real = array._file

    class Half:
        def __getattr__(self, name):
            return getattr(real, name)

        def write(self, content):
            real.write(content[:5])
            raise KeyboardInterrupt

    array._file = Half()
    with pytest.raises(KeyboardInterrupt):
        array.append(RECORDS[4])
    array._file = real
    assert (array.count, array.digest(2)) == (2, before)
    for record in RECORDS[2:]:
        array.append(record)
    array.finish(tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy").tobytes() == RECORDS.tobytes()


def test_the_length_before_stays_known(tmp_path):
    array = grown(tmp_path / "growing", 3)
    digest = array.digest(3)
    array.append(RECORDS[3])
    assert array.digest(3) == digest
    with pytest.raises(KeyError):
        array.digest(2)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "growing").symlink_to(tmp_path / "mine")
    for options in ({}, {"keep": 1, "digest": "0" * 64}):
        with pytest.raises(OSError):
            RecordFile(tmp_path / "growing", 5, (4, 2), **options)
    assert (tmp_path / "mine").read_bytes() == b"mine"


@pytest.mark.parametrize("options", [{}, {"keep": 1, "digest": "0" * 64}])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, options):
    os.mkfifo(tmp_path / "growing")
    with pytest.raises(ValueError, match="growing is not a file"):
        RecordFile(tmp_path / "growing", 5, (4, 2), **options)
