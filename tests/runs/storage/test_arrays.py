"""An array file is read only if its header fits what is expected and the size of the file; nothing is unpickled."""

from __future__ import annotations

import io

import numpy as np
import pytest

from particlegvi.runs.storage.arrays import read_array, write_array


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a file was unpickled",))


def test_arrays_come_back_bit_for_bit(tmp_path):
    numbers = np.array([[[0.1, -0.0]], [[np.nan, np.inf]], [[5e-324, 1e308]]])
    write_array(tmp_path / "a.npy", numbers)
    found = read_array(tmp_path / "a.npy", np.float64, 3)
    assert found.tobytes() == numbers.tobytes()
    assert found.flags.writeable and found.flags.c_contiguous
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy", allow_pickle=False), numbers)
    write_array(tmp_path / "b.npy", np.asfortranarray(numbers.reshape(3, 2)))
    np.testing.assert_array_equal(read_array(tmp_path / "b.npy", np.float64, 2), numbers.reshape(3, 2))


def saved(array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


GOOD = saved(np.zeros((2, 3, 1)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"PK\x03\x04 not an array",
        GOOD[:-1],
        GOOD + b"\0",
        GOOD[:100],
        saved(np.zeros((2, 3))),
        saved(np.zeros((2, 3, 1), dtype=np.float32)),
        saved(np.zeros((2, 3, 1), dtype=">f8")),
        saved(np.zeros((2, 3, 1), dtype=np.int64)),
        saved(np.asfortranarray(np.zeros((2, 3, 2)))),
        saved(np.array([[[Bomb()]]], dtype=object)),
        GOOD.replace(b"(2, 3, 1)", b"(2,-3,-1)"),
        GOOD.replace(b"(2, 3, 1)", b"(2**3, 1)"),
        GOOD.replace(b"(2, 3, 1)", b"(2, 9, 9)"),
        GOOD.replace(b"(2, 3, 1), }", b"(9" + b"9" * 9 + b"}"),
        GOOD.replace(b"\x93NUMPY\x01", b"\x93NUMPY\x03"),
    ],
    ids=lambda content: f"{len(content)} bytes",
)  # fmt: skip
def test_anything_else_is_refused(tmp_path, content):
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npy is not an array that a run has written") as caught:
        read_array(tmp_path / "a.npy", np.float64, 3)
    assert len(str(caught.value)) < 600


@pytest.mark.thorough
def test_every_flipped_bit_of_the_header_is_refused_or_harmless(tmp_path):
    """128 bytes of header: each bit turned once. What is accepted must be the array itself."""
    for position in range(128):
        for bit in range(8):
            broken = bytearray(GOOD)
            broken[position] ^= 1 << bit
            (tmp_path / "a.npy").write_bytes(broken)
            try:
                found = read_array(tmp_path / "a.npy", np.float64, 3)
            except ValueError:
                continue
            assert found.size == 6 and found.dtype == np.float64


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"a\.npy cannot be read"):
        read_array(tmp_path / "a.npy", np.float64, 3)
