"""Several processes may compile into one cache: no kernel is lost or mistaken, and each is compiled by one of them."""

import subprocess
import sys
import threading
import time

import numba
import pytest
from numba import config
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile

from particlegvi.engine.numerics import shared_cache
from particlegvi.engine.numerics.shared_cache import Lock, SharedCache, share


def plus_one(x):
    return x + 1


@pytest.fixture
def dispatcher(tmp_path, monkeypatch):
    """Make dispatchers of one function with a cache of one kind; each stands for a process."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "compiled"))

    def made(kind):
        each = numba.njit(plus_one)
        vars(each)["_cache"] = kind(plus_one)
        return each

    return made


def saved_side_by_side(dispatcher, kind, monkeypatch):
    """Save kernels for whole numbers and for real ones at once; for how many of the two the disk has the right one."""
    read = IndexDataCacheFile._load_index

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
    monkeypatch.setattr(IndexDataCacheFile, "_load_index", slowly)
    caches = [dispatcher(kind)._cache for _ in signatures]
    saving = [
        threading.Thread(target=cache.save_overload, args=(signature, result))
        for cache, signature, result in zip(caches, signatures, compiled, strict=True)
    ]
    for each in saving:
        each.start()
    for each in saving:
        each.join()
    monkeypatch.setattr(IndexDataCacheFile, "_load_index", read)
    files = caches[0]._cache_file
    index = files._load_index()
    return sum(signature in [key[0] for key in index] for signature in signatures)


def test_two_that_save_at_once_lose_nothing(dispatcher, monkeypatch):
    assert saved_side_by_side(dispatcher, SharedCache, monkeypatch) == 2


def test_control_numba_alone_loses_one(dispatcher, monkeypatch):
    assert saved_side_by_side(dispatcher, FunctionCache, monkeypatch) == 1


def lock_of(cache, signature):
    return Lock(cache._locks() / cache._place(signature))


def test_a_kernel_that_another_process_compiles_is_waited_for_and_counted(dispatcher, monkeypatch):
    first, second = dispatcher(SharedCache), dispatcher(SharedCache)
    signature = (numba.float64,)
    theirs = lock_of(first._cache, signature)
    assert theirs.take()
    monkeypatch.setattr(shared_cache, "_kept", [])  # what is kept belongs to a process
    heard = []

    class Listener(event.Listener):
        def on_start(self, told):
            heard.append("start")

        def on_end(self, told):
            heard.append("end")

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        waiting = threading.Thread(target=second._cache.load_overload, args=(signature, second.targetctx))
        waiting.start()
        time.sleep(0.05)
        assert waiting.is_alive() and heard == ["start"]
        theirs.release()
        waiting.join(10.0)
        assert not waiting.is_alive() and heard == ["start", "end"]
    finally:
        event.unregister("numba:compile", listener)
    assert not lock_of(first._cache, signature).take()  # nobody had saved it, so that it is second's to compile
    begun = time.monotonic()
    second(1.0)
    assert time.monotonic() - begun < shared_cache.PATIENCE / 2  # it does not wait for the lock that it holds itself
    assert lock_of(first._cache, signature).take()
    assert first(2.0) == 3.0 and first.stats.cache_hits and not first.stats.cache_misses


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


def test_an_error_in_compiling_keeps_no_lock_for_long(dispatcher):
    @numba.njit
    def broken(x):
        return x.nothing

    share(broken, config.CACHE_DIR)
    with pytest.raises(numba.core.errors.NumbaError):
        broken(1.0)
    each = dispatcher(SharedCache)
    each(1)
    assert lock_of(SharedCache(broken.py_func), (numba.float64,)).take()


def test_where_nothing_can_be_written_nobody_waits(tmp_path):
    (tmp_path / "locks").write_text("a file", encoding="utf-8")
    lock = Lock(tmp_path / "locks" / "00")
    assert lock.take()
    lock.release()
