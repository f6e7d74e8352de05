"""Several processes may compile into one cache: no kernel is lost, mistaken or compiled twice, whatever its files are.

A file that was cut, emptied, flipped or exchanged is compiled again; it is never run, and stops nothing.
"""

import errno
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import config
from numba.core.caching import FunctionCache

from particlegvi.cli.doctor import cache as doctors
from particlegvi.engine.numerics import shared_cache
from particlegvi.engine.numerics.shared_cache import Lock, SealedFiles, SharedCache, is_whole, share

from .listening import compilations


def plus_one(x):
    return x + 1


def plus_two(x):
    return x + 2


@pytest.fixture
def process(tmp_path, monkeypatch):
    """A dispatcher as a new process has it: nothing in memory, the disk as it is."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "compiled"))

    def started(function=plus_one, kind=SharedCache):
        each = numba.njit(function)
        vars(each)["_cache"] = kind(function)
        return each

    return started


def saved_side_by_side(process, kind, monkeypatch):
    """Save kernels for whole numbers and for real ones at once; for how many of the two the disk has the right one."""
    files = type(process(kind=kind)._cache._cache_file)
    read = files._load_index

    def slowly(self):
        content = read(self)
        time.sleep(0.1)
        return content

    signatures = [(numba.int64,), (numba.float64,)]
    compiled = []
    for signature in signatures:
        each = numba.njit(plus_one)
        each.compile(signature)
        compiled.append(each.overloads[signature])
    monkeypatch.setattr(files, "_load_index", slowly)
    caches = [process(kind=kind)._cache for _ in signatures]
    saving = [
        threading.Thread(target=cache.save_overload, args=(signature, result))
        for cache, signature, result in zip(caches, signatures, compiled, strict=True)
    ]
    for each in saving:
        each.start()
    for each in saving:
        each.join()
    monkeypatch.setattr(files, "_load_index", read)
    index = caches[0]._cache_file._load_index()
    return sum(signature in [key[0] for key in index] for signature in signatures)


@pytest.mark.parametrize(("kind", "kept"), [(SharedCache, 2), (FunctionCache, 1)])  # numba alone is the control
def test_two_that_save_at_once_lose_nothing(process, kind, kept, monkeypatch):
    assert saved_side_by_side(process, kind, monkeypatch) == kept


def lock_of(cache, signature):
    return Lock(cache._locks() / cache._place(signature))


def test_a_kernel_that_another_process_compiles_is_waited_for_and_counted(process, monkeypatch):
    first, second = process(), process()
    signature = (numba.float64,)
    theirs = lock_of(first._cache, signature)
    assert theirs.take()
    monkeypatch.setattr(shared_cache, "_kept", [])  # what is kept belongs to a process
    with compilations() as heard:
        waiting = threading.Thread(target=second._cache.load_overload, args=(signature, second.targetctx))
        waiting.start()
        time.sleep(0.05)
        assert waiting.is_alive() and [each for each, _ in heard] == ["start"]
        theirs.release()
        waiting.join(10.0)
        assert not waiting.is_alive() and [each for each, _ in heard] == ["start", "end"]
    assert not lock_of(first._cache, signature).take()  # nobody had saved it, so that it is second's to compile
    begun = time.monotonic()
    second(1.0)
    assert time.monotonic() - begun < shared_cache.PATIENCE / 2  # it does not wait for the lock that it holds itself
    assert lock_of(first._cache, signature).take()
    assert first(2.0) == 3.0 and first.stats.cache_hits and not first.stats.cache_misses


@pytest.mark.parametrize("kind", [SharedCache, FunctionCache])
def test_a_kernel_from_the_disk_needs_nothing_that_numba_can_compile(process, kind, monkeypatch):
    """The control, numba's own cache, makes all of that known first, which takes longer than the kernels of a run."""
    assert process(kind=kind)(1.0) == 2.0
    asked, other = [], process(kind=kind)
    monkeypatch.setattr(type(other.targetctx), "refresh", lambda self: asked.append(self))
    assert other(3.0) == 4.0 and other.stats.cache_hits
    assert bool(asked) == (kind is FunctionCache)


@pytest.mark.thorough
def test_patience_ends_and_a_lock_ends_with_its_process(tmp_path, monkeypatch):
    place = tmp_path / "locks" / "00"
    code = (
        "import sys, time; from pathlib import Path; from particlegvi.engine.numerics.shared_cache import Lock\n"
        "held = Lock(Path(sys.argv[1])); print(held.take(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(place)], stdout=subprocess.PIPE) as other:
        assert other.stdout.readline().strip() == b"True"
        mine = Lock(place)
        assert not mine.take()
        monkeypatch.setattr(shared_cache, "PATIENCE", 0.05)
        begun = time.monotonic()
        mine.wait()
        assert 0.05 <= time.monotonic() - begun < 5.0
        other.kill()
    assert mine.take()


def test_an_error_in_compiling_keeps_no_lock_for_long(process):
    @numba.njit
    def broken(x):
        return x.nothing

    share(broken, config.CACHE_DIR)
    with pytest.raises(numba.core.errors.NumbaError):
        broken(1.0)
    each = process()
    each(1)
    assert lock_of(SharedCache(broken.py_func), (numba.float64,)).take()


def test_where_nothing_can_be_written_nobody_waits(tmp_path):
    (tmp_path / "locks").write_text("a file", encoding="utf-8")
    lock = Lock(tmp_path / "locks" / "00")
    assert lock.take()
    lock.release()


def file(folder: Path, kind: str, name: str = "plus_one") -> Path:
    return sorted(folder.rglob(f"*{name}*.{kind}"))[0]


def emptied(place: Path, folder: Path) -> None:
    place.write_bytes(b"")


def halved(place: Path, folder: Path) -> None:
    place.write_bytes(place.read_bytes()[: place.stat().st_size // 2])


def flipped(place: Path, folder: Path) -> None:
    content = bytearray(place.read_bytes())
    content[len(content) // 3] ^= 1
    place.write_bytes(bytes(content))


def garbage(place: Path, folder: Path) -> None:
    place.write_bytes(np.random.default_rng(0).bytes(1000))


def exchanged(place: Path, folder: Path) -> None:
    shutil.copyfile(file(folder, place.suffix[1:], "plus_two"), place)


def of_other_types(place: Path, folder: Path) -> None:
    """The machine code for whole numbers under the name of that for real ones, as only an index could say."""
    other = place.with_name(place.name.replace(".1.nbc", ".2.nbc"))
    if other != place:
        shutil.copyfile(other, place)
    else:
        place.unlink()


DAMAGES = [emptied, halved, flipped, garbage, exchanged, of_other_types]


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.sample("*-nbc", "emptied-nbi")
def test_a_damaged_file_is_compiled_again(process, tmp_path, damage, kind):
    first = process()
    first(1.0)
    first(1)
    process(plus_two)(1.0)
    damage(file(tmp_path, kind), tmp_path)
    second = process()
    assert (second(1.0), second(1)) == (2.0, 2) and second.stats.cache_misses
    third = process()
    assert (third(1.0), third(1)) == (2.0, 2) and not third.stats.cache_misses  # mended
    assert all(is_whole(place) for place in tmp_path.rglob("*.nb[ic]"))


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_control_numba_alone_fails_or_runs_other_code(process, tmp_path, kind):
    process(kind=FunctionCache)(1.0)
    process(plus_two, kind=FunctionCache)(1.0)
    place = file(tmp_path, kind)
    emptied(place, tmp_path)
    with pytest.raises(EOFError):
        process(kind=FunctionCache)(1.0)
    if kind == "nbc":
        exchanged(place, tmp_path)
        assert process(kind=FunctionCache)(1.0) == 3.0  # plus_two


def test_a_full_disk_costs_one_sentence_and_leaves_nothing(process, tmp_path, monkeypatch):
    def full(self, *_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(SealedFiles, "_dump", full)
    monkeypatch.setattr(shared_cache, "_told", [])
    with pytest.warns(UserWarning, match="cannot be kept in .* \\(No space left on device\\)") as told:
        each = process()
        assert (each(1.0), each(1)) == (2.0, 2)
    assert len(told) == 1
    assert not list(tmp_path.rglob("*.nb[ic]*"))


@pytest.mark.parametrize(("gone", "what"), [("_load_overload", "used"), ("_impl_class", "kept")])
def test_a_numba_with_other_insides_compiles_and_says_so(process, gone, what, monkeypatch):
    process()(1.0)
    control = process()
    assert control(2.0) == 3.0 and control.stats.cache_hits
    monkeypatch.setattr(FunctionCache, gone, None)
    monkeypatch.setattr(shared_cache, "_told", [])
    with pytest.warns(UserWarning, match=f"cannot be {what} .TypeError.*; every process compiles it again") as told:
        each = numba.njit(plus_one)
        share(each, config.CACHE_DIR)
        assert each(2.0) == 3.0 and not each.stats.cache_hits
    assert len(told) == 1


def test_a_file_that_cannot_be_read_is_not_taken_away(process, tmp_path, monkeypatch):
    process()(1.0)
    before = {place: place.read_bytes() for place in tmp_path.rglob("*.nb[ic]")}
    read = Path.read_bytes

    def refused(self):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "read_bytes", refused)
    monkeypatch.setattr(shared_cache, "_told", ["said"])
    assert process()(1.0) == 2.0
    monkeypatch.setattr(Path, "read_bytes", read)
    assert {place: place.read_bytes() for place in tmp_path.rglob("*.nb[ic]")} == before


def test_no_cache_is_made_beside_the_sources(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    chosen = str(tmp_path / "file" / "compiled")
    monkeypatch.setattr(config, "CACHE_DIR", chosen)
    each, control = numba.njit(plus_one), numba.njit(plus_one)
    share(each, chosen)
    control.enable_caching()
    assert not isinstance(each._cache, FunctionCache)
    assert isinstance(control._cache, FunctionCache)  # numba alone: in __pycache__, or in a folder of its own


def test_the_doctor_counts_damaged_files(process, tmp_path, monkeypatch):
    process()(1.0)
    monkeypatch.setattr(doctors, "cache_folder", lambda: str(tmp_path))
    assert doctors.damaged() == 0
    halved(file(tmp_path, "nbc"), tmp_path)
    emptied(file(tmp_path, "nbi"), tmp_path)
    assert doctors.damaged() == 2
