"""Samples in folders: what is written is what is loaded, the bytes, damage, and the command."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.cli import main

from ..losses.models.stan_model import StanModel
from ..refusals import refuse


def own(X):
    return 0.5 * ((X - [1.0, 100.0]) ** 2 / [1.0, 400.0]).sum(axis=1)


def slope(X):
    return (X - [1.0, 100.0]) / [1.0, 400.0]


def sampled(out, **more):
    loss = pg.Loss.from_numpy(own, slope, dim=2)
    return pg.sample(loss, pg.priors.Normal([0.0, 0.0], [9.0, 999.0]), 40, seed=3, out=out, progress=None, **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("samples") / "one"
    return place, sampled(place)


def contents(place):
    return {file.name: file.read_bytes() for file in place.iterdir() if file.name != "sample.json"}


def test_what_is_loaded_is_what_was_sampled(folder):
    place, run = folder
    loaded = pg.load(place)
    assert type(loaded) is pg.Sample and loaded.arrived == run.arrived and loaded.describe() == run.describe()
    assert np.array_equal(loaded.positions, run.positions) and loaded.prior.sd.tolist() == [9.0, 999.0]
    assert np.array_equal(loaded.draws()["theta_2"], run.draws()["theta_2"])
    refuse(lambda: loaded.loss.value([0.0, 0.0]), "that are not in the folder")
    whole = pg.load(place, loss=run.loss)
    assert whole.loss.value([1.0, 100.0]) == 0.0
    refuse(lambda: pg.load(place, loss=pg.Loss.from_numpy(lambda X: 2.0 * own(X), lambda X: 2.0 * slope(X), dim=2)),
           "must be the one with which")  # fmt: skip


def test_the_same_arguments_give_the_same_bytes(folder, tmp_path):
    place, _ = folder
    sampled(tmp_path / "two")
    assert contents(tmp_path / "two") == contents(place)


def test_of_an_interrupted_call_nothing_remains(tmp_path):
    def interrupted(step, steps):
        raise KeyboardInterrupt

    loss = pg.Loss.from_numpy(own, slope, dim=2)
    with pytest.raises(KeyboardInterrupt):
        pg.sample(loss, particles=40, out=tmp_path / "one", progress=interrupted)
    assert list(tmp_path.iterdir()) == []


def test_variables_of_a_model_are_stored(tmp_path):
    run = pg.sample(StanModel(), particles=40, out=tmp_path / "stan", progress=None)
    loaded = pg.load(tmp_path / "stan")
    assert np.array_equal(loaded.draws()["b"], run.draws()["b"]) and loaded.variables == run.variables
    refuse(lambda: loaded.columns(records=True), "need the model")


def test_a_folder_that_is_there_is_not_overwritten(folder):
    place, _ = folder
    refuse(lambda: sampled(place), "exists already; choose another folder")
    (place / "notes.txt").write_text("mine")
    refuse(lambda: sampled(place, overwrite=True), "and no others, say --overwrite")
    (place / "notes.txt").unlink()
    before = contents(place)
    sampled(place, overwrite=True)
    assert contents(place) == before


@pytest.mark.parametrize("damage", ["cut", "positions", "label", "info", "names"])
def test_a_damaged_folder_is_refused(damage, tmp_path):
    place = tmp_path / "one"
    sampled(place)
    content = json.loads((place / "sample.json").read_text())
    if damage == "cut":
        with open(place / "positions.npy", "r+b") as file:
            file.truncate(os.path.getsize(place / "positions.npy") - 8)
    else:
        wrong = {
            "positions": {"sha256": {}},
            "label": {"methods": []},
            "info": {"info": 3},
            "names": {"names": ["a"] * 9},
        }
        (place / "sample.json").write_text(json.dumps(content | wrong[damage]))
    refuse(lambda: pg.load(place), "damaged|whole sample")


def test_the_command_says_the_words_and_fills_the_folder(tmp_path, capsys):
    file = tmp_path / "model.py"
    file.write_text(
        "import particlegvi as pg\n\n"
        "loss = pg.Loss.from_numpy(lambda X: 0.5 * X[:, 0] ** 2, lambda X: X, dim=1)\n"
        "prior = pg.priors.Normal(0.0, 1.0)\n"
    )
    assert main(["sample", str(file), "--out", str(tmp_path / "out"), "--particles", "60", "--accuracy", "0.2"]) == 0
    words = capsys.readouterr().out
    assert words.startswith("DLE: arrived (60 particles") and "saved in" in words
    assert (tmp_path / "out" / "marginals.png").is_file() and pg.load(tmp_path / "out").arrived
    assert main(["sample", str(tmp_path / "nothing.py")]) == 2
    file.write_text("x = 1\n")
    assert main(["sample", str(file)]) == 2
    assert "must define loss or model" in capsys.readouterr().err


KILLED = """
import os, signal, sys
import numpy as np
import particlegvi as pg
from particlegvi.runs import sample_folder
place, last = sys.argv[1], int(sys.argv[2])
calls = [0]
def own(X):
    calls[0] += 1
    if calls[0] == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.5 * ((X - [1.0, 100.0]) ** 2 / [1.0, 400.0]).sum(axis=1)
if last == 0:
    write = sample_folder.write_array
    def killed(file, array):
        write(file, array)
        os.kill(os.getpid(), signal.SIGKILL)
    sample_folder.write_array = killed
loss = pg.Loss.from_numpy(own, lambda X: (X - [1.0, 100.0]) / [1.0, 400.0], dim=2)
pg.sample(loss, pg.priors.Normal([0.0, 0.0], [9.0, 999.0]), 40, seed=3, out=place, progress=None)
"""


def elsewhere(place, last, **environment):
    """The exit status of the call in a process of its own, which is killed at its call number ``last`` of the loss."""
    settings = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", KILLED, str(place), str(last)], env=settings, check=False).returncode


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")
def test_the_bytes_are_the_same_after_kills_and_on_any_number_of_threads(folder, tmp_path, rng):
    place, _ = folder
    for number, last in enumerate([*rng.integers(1, 200, 2), 0]):  # 0: while the folder is written
        out = tmp_path / str(number)
        assert elsewhere(out, last) == -signal.SIGKILL and not out.exists()
        sampled(out)
        assert contents(out) == contents(place)
    assert elsewhere(tmp_path / "alone", -1, NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1") == 0
    assert contents(tmp_path / "alone") == contents(place)
