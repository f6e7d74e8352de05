"""Kinds of bad command lines: exit 2, a few lines on stderr, no traceback, nothing written, nothing compiled."""

import os

import pytest

from particlegvi import cli
from particlegvi.scenario.kinds.particles import simulating
from particlegvi.verification import command

RUN = ["run", "lifting"]
KINDS = {
    "no command": [[]],
    "an unknown command": [["frobnicate"], ["simulate", "lifting"], ["--no-such-flag"]],
    "a missing argument": [["run"], ["show"], ["plot"], ["resume"]]
    + [[*RUN, flag] for flag in ("--set", "--seed", "--out", "--checkpoint-every")],
    "an argument too many": [["list", "lifting"], ["show", "lifting", "multimodal"], [*RUN, "x"]]
    + [[what, "a", "b"] for what in ("resume", "verify")],
    "an unknown flag": [[*RUN, "--bogus"], [*RUN, "-x"], ["list", "--jsn"]]
    + [["resume", ".", "--seed", "1"], ["verify", "--set", "x=1"]],
    "an abbreviated flag": [[*RUN, "--over"], [*RUN, "--no-fig"]],
    "an unknown workload": [["bench", "--only", "no-such"], ["bench", "--only", "drle-figure", "--out", "/dev/null/x"]],
    "an unknown scenario": [["run", "global-minimizer"]]
    + [["run", "no-such"], ["show", "Lifting!"], ["gallery", "--only", "no-such"], ["run", ""]],
    "a setting of no form": [[*RUN, "--set", text] for text in ("particles", "=3", "", "particles:3", ".=1", "a..b=1")],
    "an unknown key": [[*RUN, "--set", text] for text in ("partcles=3", "methods.DE.kl=1", "loss.hieght=1", "x=1")]
    + [[*RUN, "--set"]],
    "a bad value": [
        [*RUN, "--set", text] for text in ("particles=many", "methods=3", "steps=1.5", "step_size=nan", "steps=1e400")
    ],
    "a number too long": [[*RUN, "--set", "steps=" + "9" * 6000], [*RUN, "--seed", "9" * 6000]],
    "parts that do not fit": [
        [*RUN, "--set", "loss=four-gaussians"],
        [*RUN, "--set", "initial=flat"],
    ],
    "more than fits": [[*RUN, "--set", "particles=1e8", "--set", "record_every=1"]],
    "a bad seed": [["gallery", "--only", "lifting", "--seed", "-1"]]
    + [[*RUN, "--seed", seed] for seed in ("-1", "x", "1.5", "", "18446744073709551616", "nan")],
    "a bad time between checkpoints": [
        [*line, "--checkpoint-every", text]
        for line in (RUN, ["resume", "absent"])
        for text in ("0", "-1", "nan", "inf", "1e400", "x", "")
    ],
    "an unknown claim": [["verify", name] for name in ("no-such", "sign-mixng", "", "a\0b", "x" * 300)],
    "a bad seed of the claims": [["verify", "--seed", seed] for seed in ("-1", "x", "1.5", "18446744073709551616")],
    "a folder that cannot be": [[*RUN, "--out", out] for out in ("/dev/null/x", "", "/proc/x", "a\0b", "x" * 300)],
    "a folder that exists": [[*RUN, "--out", "."], [*RUN, "--out", "/"], [*RUN, "--out", "/etc", "--overwrite"]],
    "a file that is no scenario": [
        ["run", path] for path in ("absent.toml", "/etc/passwd", "/dev/zero", "./", "/proc/self/mem")
    ],
    "an export that cannot be": [
        ["export"],
        ["export", "absent"],
        ["export", "absent", "--to", "x.nc"],
        ["export", ".", "--to", "x.txt"],
        ["export", ".", "--to", "/dev/null/x.csv"],
        ["export", "/etc", "--to", "x.csv", "--overwrite"],
        ["export", ".", "--to", ""],
    ],
    "a folder that is no run": [
        [what, path] for what in ("plot", "resume") for path in ("absent", ".", "/etc", "/dev/null", "")
    ],
    "a bad figure": [[*RUN, "--set", f"figures=[{{kind={kind}}}]"] for kind in ("'histgrams'", "'histograms', bins=0")],
    "a name that leaves the folder": [
        [*RUN, "--set", text] for text in ("name=../../x", "name=/x/y", "methods={'../x'={method='DE'}}", "name=.")
    ],
    "a formula that is code": [
        [*RUN, "--set", f"loss={{formula='''{text}''', variables=['t']}}"]
        for text in ("__import__('os').system('touch x')", "t.__class__", "eval(t)", "((((", "9**9**9", "")
    ],
    "control characters": [["run", "x\x1b[31m"], [*RUN, "--set", "title='\x07'"], ["show", "\udcff"]],
}  # fmt: skip
LINES = [(kind, line) for kind, lines in KINDS.items() for line in lines]


@pytest.mark.parametrize(("kind", "line"), LINES, ids=[f"{kind} {number}" for number, (kind, _) in enumerate(LINES)])
def test_a_bad_command_line(kind, line, capsys, tmp_path, monkeypatch, elsewhere):
    monkeypatch.setattr(simulating, "follow", lambda *_, **__: pytest.fail("it ran"))
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
