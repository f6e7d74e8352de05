"""The command line: what it prints, where, with which exit code, and what it never does."""

import json
import re
import subprocess
import sys
import tomllib

import pytest

import particlegvi as pg
from particlegvi import cli, scenario
from particlegvi.scenario import catalogue
from particlegvi.scenario.kinds.particles import simulating

pytestmark = pytest.mark.usefixtures("elsewhere", "remembered_truth")

SHORT = ["--set", "particles=8", "--set", "steps=20"]


def called(capsys, *arguments) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_list(capsys):
    code, out, err = called(capsys, "list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == catalogue.names()
    code, out, err = called(capsys, "list", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == catalogue.entries()
    assert set(json.loads(out)[0]) == {"name", "title", "source"}


@pytest.mark.parametrize("name", ["lifting", "regression-curve", "uci-ensembles"])
def test_show_prints_toml_and_nothing_else(capsys, name):
    code, out, err = called(capsys, "show", name)
    assert (code, err) == (0, "")
    assert tomllib.loads(out) == scenario.load(name)


def test_run_prints_a_table_and_saves(capsys, tmp_path):
    code, out, err = called(capsys, "run", "global-minimiser", *SHORT)
    assert (code, err) == (0, "")
    assert all(label in out for label in ("DE", "DLE", "DRLE", "W1 to truth", "exact draws"))
    assert "saved in runs/global-minimiser (pictures: histograms.png, trajectories.png)" in out
    folder = tmp_path / "runs" / "global-minimiser"
    assert (folder / "histograms.png").read_bytes().startswith(b"\x89PNG")
    assert pg.load(folder).scenario == scenario.load("global-minimiser", {"particles": 8, "steps": 20})
    code, out, err = called(capsys, "run", "global-minimiser", *SHORT, "--quiet", "--no-figure", "--seed", 4)
    assert (code, out, err) == (0, "", "")
    second = tmp_path / "runs" / "global-minimiser-2"
    assert pg.load(second).seed == 4
    assert not list(second.glob("*.png"))


@pytest.mark.slow
def test_gallery_has_the_pictures_that_are_asked_for(capsys, tmp_path):
    code, out, err = called(capsys, "gallery", "--quick", "--only", "lifting", "global-minimiser")
    assert (code, err) == (0, "")
    pictures = {"lifting.png", "global-minimiser.png", "global-minimiser-trajectories.png"}
    assert {path.name for path in (tmp_path / "plots").iterdir()} == pictures
    assert {line.removeprefix("plots/") for line in out.splitlines()} == pictures
    assert not (tmp_path / "runs").exists()
    assert called(capsys, "gallery", "--quick", "--quiet", "--only", "few-particles-bias") == (0, "", "")
    assert (tmp_path / "plots" / "few-particles-bias.png").exists()


def test_a_diverged_run_exits_with_3_and_keeps_what_it_has(capsys, tmp_path):
    code, out, err = called(capsys, "run", "global-minimiser", *SHORT, "--set", "step_size=5.0", "--out", "a")
    assert (code, out) == (3, "")
    assert "step_size" in err and "what was recorded is in a" in err
    assert "warning: step_size 5 is beyond the stability limit" in err
    assert len(err.splitlines()) <= 4
    assert pg.load("a").status == "diverged"


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted; what was recorded is in a"),
        (OSError(28, "No space left on device", "a/x"), 1, "failed: No space left on device: a/x"),
        (MemoryError(), 1, "not enough memory"),
        (RuntimeError("two\nlines"), 1, "failed: RuntimeError: two"),
    ],
    ids=str,
)
def test_failures_have_their_exit_codes(error, code, words, capsys, monkeypatch):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(simulating, "run_problem", fail)
    found, out, err = called(capsys, "run", "lifting", "--out", "a")
    assert (found, out) == (code, "")
    assert words in err
    assert "Traceback" not in err


def test_help_names_what_works_and_nothing_else(capsys):
    code, out, err = called(capsys, "--help")
    assert (code, err) == (0, "")
    listed = {line.split()[0] for line in out.split("COMMAND\n")[-1].splitlines() if re.match(r"    \S", line)}
    assert listed == set(cli.COMMANDS)
    for command in cli.COMMANDS:
        assert called(capsys, command, "--help")[0] == 0
    assert called(capsys, "--version")[1] == f"particlegvi {pg.__version__}\n"


def shell(command: str, tmp_path, **options) -> subprocess.CompletedProcess:
    command = command.replace("particlegvi", f"{sys.executable} -m particlegvi")
    return subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize(
    "command",
    [
        "set -o pipefail; particlegvi show lifting | true",
        "particlegvi list >&-",
        "PYTHONIOENCODING=ascii particlegvi list > /dev/null",
        "particlegvi show nothing 2>&- ; test $? = 2",
        f"particlegvi run lifting --no-figure {' '.join(SHORT)} >&- 2>&-",
    ],
)
@pytest.mark.sample("set -o*", "particlegvi list*")
def test_nobody_has_to_read_to_the_end(command, tmp_path):
    done = shell(command, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_device_is_a_failure(tmp_path):
    done = shell("particlegvi list > /dev/full", tmp_path)
    assert done.returncode == 1
    assert "No space left" in done.stderr and "Traceback" not in done.stderr
