"""Kinds of bad command lines: exit 2, a few lines on stderr, no traceback, nothing written, nothing compiled."""

import os

import pytest

from particlegvi import cli
from particlegvi.scenario.kinds.particles import simulating
from particlegvi.verification import command

RUN = ["run", "lifting"]
KINDS = {
    "no command": [[]],
    "an unknown command or flag": [["frobnicate"], [*RUN, "--bogus"], ["resume", ".", "--seed", "1"]],
    "a missing argument": [["run"], ["show"], ["plot"], [*RUN, "--set"], ["export"]],
    "an argument too many": [["list", "lifting"], [*RUN, "x"], ["verify", "a", "b"]],
    "an abbreviated flag": [[*RUN, "--over"]],
    "an unknown name": [["run", "global-minimizer"], ["show", "Lifting!"], ["gallery", "--only", "no-such"]]
    + [*(["verify", name] for name in ("sign-mixng", "", "a\0b", "x" * 300))],
    "a setting of no form": [[*RUN, "--set", text] for text in ("particles", "=3", "", "a..b=1")],
    "an unknown key": [[*RUN, "--set", text] for text in ("partcles=3", "methods.DE.kl=1", "x=1")],
    "a bad value": [[*RUN, "--set", text] for text in ("particles=many", "methods=3", "step_size=nan", "steps=1e400")],
    "a grid too large": [["sweep", "lifting", "--dry-run", *grid] for grid in (
        ["--seeds", str(2**63)], ["--seeds", f"0:{10**20}"], ["--over", "particles=1e-300:1e300:3:log"],
        ["--over", "methods.DLE.kl_weight=-1e308:1e308:3"])],
    "a number too long": [[*RUN, "--set", "steps=" + "9" * 6000], [*RUN, "--seed", "9" * 6000]],
    "parts that do not fit": [[*RUN, "--set", "loss=four-gaussians"]],
    "more than fits": [[*RUN, "--set", "particles=1e8", "--set", "record_every=1"]],
    "a bad seed": [[*line, "--seed", seed] for line in (RUN, ["verify"]) for seed in ("-1", "1.5", str(2**64))],
    "a bad time between checkpoints": [[*RUN, "--checkpoint-every", text] for text in ("0", "nan", "1e400", "x", "")],
    "a folder that cannot be": [[*RUN, "--out", out] for out in ("/dev/null/x", "", "/proc/x", "a\0b", "x" * 300)],
    "a folder that exists": [[*RUN, "--out", "."], [*RUN, "--out", "/etc", "--overwrite"]],
    "a file that is no scenario": [["run", path] for path in ("absent.toml", "/etc/passwd", "/dev/zero", "./")],
    "an export that cannot be": [["export", ".", "--to", to] for to in ("x.txt", "/dev/null/x.csv", "")],
    "a folder that is no run": [[command, at] for command in ("plot", "resume") for at in ("absent", ".", "/dev/null")],
    "a bad figure": [[*RUN, "--set", f"figures=[{{kind={kind}}}]"] for kind in ("'histgrams'", "'histograms', bins=0")],
    "a name that leaves the folder": [[*RUN, "--set", text] for text in ("name=../../x", "name=/x/y", "name=.")],
    "a formula that is code": [
        [*RUN, "--set", f"loss={{formula='''{text}''', variables=['t']}}"]
        for text in ("__import__('os').system('touch x')", "t.__class__", "((((", "9**9**9", "")
    ],
    "control characters": [["run", "x\x1b[31m"], [*RUN, "--set", "title='\x07'"], ["show", "\udcff"]],
}  # fmt: skip
LINES = [(kind, line) for kind, lines in KINDS.items() for line in lines]


@pytest.mark.parametrize(("kind", "line"), LINES, ids=[f"{kind} {number}" for number, (kind, _) in enumerate(LINES)])
def test_a_bad_command_line(kind, line, capsys, tmp_path, monkeypatch, elsewhere):
    monkeypatch.setattr(simulating, "run_problem", lambda *_, **__: pytest.fail("it ran"))
    monkeypatch.setattr(command, "check", lambda *_, **__: pytest.fail("it verified"))
    assert cli.main(line) == 2
    out, err = capsys.readouterr()
    assert out == "" and 1 <= len(err.splitlines()) <= 6 and len(err) < 1500
    assert "Traceback" not in err and all(each.isprintable() for each in err.splitlines())
    nearest = {"global-minimizer": "global-minimiser", "partcles=3": "particles", "histgrams": "histograms"}
    nearest |= {"sign-mixng": "sign-mixing"}
    assert all(f'did you mean "{name}"?' in err for slip, name in nearest.items() if slip in " ".join(line))
    assert os.listdir(tmp_path) == []


def test_a_good_command_line_is_none_of_these(capsys, tmp_path, elsewhere):
    """Control: what the list changes is what is wrong."""
    assert cli.main([*RUN, "--set", "particles=3", "--set", "steps=2e0", "--no-figure", "--quiet"]) == 0
    assert os.listdir(tmp_path) == ["runs"]


def test_a_number_of_threads_below_one_is_named(capsys, monkeypatch, elsewhere):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "0")
    assert cli.main(RUN) == 2
    assert "NUMBA_NUM_THREADS must be a whole number of 1 or more, not 0" in capsys.readouterr().err
