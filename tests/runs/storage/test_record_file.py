"""An array that grows on the disk: numpy's own bytes at the end, and a length that can be trusted at any time."""

import hashlib

import numpy as np
import pytest

from particlegvi.runs.storage.arrays import RecordFile, read_array, write_array

from ...refusals import refuse

RECORDS = np.random.default_rng(3).normal(size=(5, 4, 2))


def grown(path, count=5):
    array = RecordFile(path, 5, (4, 2))
    for record in RECORDS[:count]:
        array.append(record)
    return array


def test_a_full_one_is_what_numpy_writes_and_what_comes_after_the_records_is_cut(tmp_path):
    np.save(tmp_path / "b.npy", RECORDS)
    expected = (tmp_path / "b.npy").read_bytes()
    digest = grown(tmp_path / "growing").finish(tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == expected and digest == hashlib.sha256(expected).hexdigest()
    assert not (tmp_path / "growing").exists()
    array = grown(tmp_path / "growing")
    array.close()
    with open(tmp_path / "growing", "ab") as file:
        file.write(b"of a run that had more records")
    RecordFile(tmp_path / "growing", 5, (4, 2), 5, array.digest(5)).finish(tmp_path / "a.npy")
    assert (tmp_path / "a.npy").read_bytes() == expected


@pytest.mark.parametrize("place", [0, 20, 130, 200, None])
def test_a_changed_bit_and_a_file_that_is_cut_short_are_found(tmp_path, place):
    array = grown(tmp_path / "growing", 3)
    digest = array.digest(3)
    array.close()
    content = bytearray((tmp_path / "growing").read_bytes())
    if place is None:
        del content[-1]
    else:
        content[place] ^= 1
    (tmp_path / "growing").write_bytes(content)
    refuse(lambda: RecordFile(tmp_path / "growing", 5, (4, 2), 3, digest), "damaged")


def test_arrays_come_back_bit_for_bit(tmp_path):
    numbers = np.array([[[0.1, -0.0]], [[np.nan, np.inf]], [[5e-324, 1e308]]])
    write_array(tmp_path / "a.npy", numbers)
    found = read_array(tmp_path / "a.npy", np.float64, 3)
    assert found.tobytes() == numbers.tobytes()
    assert found.flags.writeable and found.flags.c_contiguous
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy", allow_pickle=False), numbers)
    write_array(tmp_path / "b.npy", np.asfortranarray(numbers.reshape(3, 2)))
    np.testing.assert_array_equal(read_array(tmp_path / "b.npy", np.float64, 2), numbers.reshape(3, 2))


@pytest.mark.parametrize("array", [np.zeros((2, 3)), np.zeros((2, 3, 1), np.float32), np.zeros((2, 3, 1), np.int64)])
def test_another_array_is_refused(tmp_path, array):
    """And a file that is no array, or whose header lies: `test_hostile_files`."""
    np.save(tmp_path / "a.npy", array)
    refuse(lambda: read_array(tmp_path / "a.npy", np.float64, 3), r"a\.npy is not an array that a run has written")
