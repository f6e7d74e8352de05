"""A file that cannot be read now is not damaged: the run stops with a sentence, and what was done is still there."""

import errno
import os
import shutil

import pytest

import particlegvi as pg

from .interrupting import ALWAYS, SHORT, Stop


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run that has DE, and of DLE half."""
    out = tmp_path_factory.mktemp("begun") / "run"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("particlegvi.simulation.chunks.CHUNK_SECONDS", 1e-9)
        pg.run("global-minimiser", out=out, progress=Stop(label="DLE", step=30), **ALWAYS, **SHORT)
    return out


def failing(number, code):
    """`open` that fails once, at the call of this number, as it does when a process has too many files open."""
    left = number

    def opened(path, *arguments, **options):
        nonlocal left
        left -= 1
        if left == -1:
            raise OSError(code, os.strerror(code), str(path))
        return open(path, *arguments, **options)

    return opened


@pytest.mark.sample("EMFILE")
@pytest.mark.parametrize("code", [errno.EMFILE, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
def test_files_that_cannot_be_opened_once(begun, tmp_path, code, quick, monkeypatch):
    """One call after the other fails: reading the manifest, the scenario, a method that is done, the checkpoint."""
    refused = 0
    for number in range(12):
        folder = tmp_path / str(number)
        shutil.copytree(begun, folder)
        with monkeypatch.context() as patch:
            opened = failing(number, code)
            for module in ("tools.files", "runs.storage.arrays"):
                patch.setattr(f"particlegvi.{module}.open", opened, raising=False)
            try:
                pg.resume(folder, progress=Stop(label="DLE", step=40))
            except (ValueError, OSError) as error:
                refused += 1
                assert os.strerror(code) in str(error)
            except KeyboardInterrupt:
                pass
        heard = Stop(label="DLE", step=1)
        with pytest.raises(KeyboardInterrupt):
            pg.resume(folder, progress=heard)
        ((label, step),) = heard.heard
        assert label == "DLE" and step >= 30, number
    assert refused >= 8
