"""Kernels on the disk: used again by the next process, never mistaken, and compiled again where a file is damaged."""

import errno
import os
import shutil
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache

from particlegvi.engine.numerics import compiled, kernel_cache
from particlegvi.engine.numerics.kernel_cache import SUFFIX, KernelCache


def plus_one(x):
    return x + 1


def plus_two(x):
    return x + 2


@pytest.fixture
def process(tmp_path):
    """A dispatcher as a new process has it: nothing in memory, the disk as it is."""

    def started(function=plus_one):
        dispatcher = numba.njit(function)
        vars(dispatcher)["_cache"] = KernelCache(function, tmp_path / "compiled")
        return dispatcher

    return started


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


def test_each_kernel_has_a_file_of_its_own(process, tmp_path):
    for function, result in ((plus_one, 2), (plus_two, 3)):
        for number in (1, 1.0):
            assert process(function)(number) == result
    assert len(files(tmp_path)) == 4 == len(list((tmp_path / "compiled").iterdir()))
    for function, result in ((plus_one, 2), (plus_two, 3)):
        again = process(function)
        assert again(1) == again(1.0) == result and not again.stats.cache_misses


def test_a_kernel_from_the_disk_needs_nothing_that_numba_can_compile(process, tmp_path, monkeypatch):
    """The control, numba's own cache, makes all of that known first, which takes longer than the kernels of a run."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "numba"))
    control = numba.njit(plus_one, cache=True)
    assert process()(1.0) == control(1.0) == 2.0
    asked, other = [], process()
    monkeypatch.setattr(type(other.targetctx), "refresh", lambda self: asked.append(self))
    assert other(3.0) == 4.0 and other.stats.cache_hits and not asked
    later = numba.njit(plus_one, cache=True)
    assert isinstance(later._cache, FunctionCache) and later(3.0) == 4.0 and asked


def emptied(place: Path) -> None:
    place.write_bytes(b"")


def halved(place: Path) -> None:
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])


def flipped(place: Path) -> None:
    content = bytearray(place.read_bytes())
    content[len(content) // 3] ^= 1
    place.write_bytes(bytes(content))


def garbage(place: Path) -> None:
    place.write_bytes(np.random.default_rng(0).bytes(1000))


@pytest.mark.parametrize("damage", [emptied, halved, flipped, garbage])
def test_a_file_that_cannot_be_read_is_removed_with_all_others_and_compiled_again(process, tmp_path, damage):
    process()(1.0)
    process(plus_two)(1.0)
    damage(next(place for place in files(tmp_path) if "plus_one" in place.name))
    second = process()
    assert second(1.0) == 2.0 and second.stats.cache_misses
    assert ["plus_one" in place.name for place in files(tmp_path)] == [True]
    third = process()
    assert third(1.0) == 2.0 and third.stats.cache_hits


def pipe(place: Path) -> None:
    os.mkfifo(place)


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has none")
@pytest.mark.parametrize("make", [pipe, endless])
def test_what_is_no_file_is_not_read(process, tmp_path, make):
    process()(1.0)
    (place,) = files(tmp_path)
    place.unlink()
    make(place)
    assert process()(1.0) == 2.0 and place.stat().st_size > 1000 and not place.is_symlink()


def test_a_full_disk_costs_one_sentence_and_leaves_nothing(process, tmp_path, monkeypatch):
    def full(self, *_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    kernel_cache._tell_once.cache_clear()
    with pytest.warns(UserWarning, match="cannot be kept in .* \\(No space left on device\\)") as told:
        dispatcher = process()
        assert (dispatcher(1.0), dispatcher(1)) == (2.0, 2)
    assert len(told) == 1 and not list((tmp_path / "compiled").iterdir())


def test_the_folder_follows_sources_and_versions_and_old_ones_go(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    parent = tmp_path / "particlegvi"
    for name, days in (("old", 40), ("recent", 20)):
        (parent / name).mkdir(parents=True)
        os.utime(parent / name, (0, kernel_cache.time.time() - days * 86400))
    folder = kernel_cache.cache_folder.__wrapped__()
    assert {place.name for place in parent.iterdir()} == {"recent", kernel_cache.cache_digest()} and folder.is_dir()
    monkeypatch.setattr(kernel_cache.metadata, "version", lambda name: "other")
    assert kernel_cache.cache_digest.__wrapped__() != kernel_cache.cache_digest()


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert kernel_cache.cache_folder.__wrapped__() is None
    monkeypatch.setattr(compiled, "cache_folder", lambda: None)
    assert compiled.compiled(plus_one)(1) == 2 and [place.name for place in tmp_path.iterdir()] == ["file"]
    shutil.rmtree(tmp_path)
