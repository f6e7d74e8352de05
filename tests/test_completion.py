"""The completion scripts, asked by the shells that are installed."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from particlegvi import cli
from particlegvi.cli import completion
from particlegvi.kinds.particles.keys import KEYS
from particlegvi.scenario import catalogue


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("completion")
    (place / "runs" / "one").mkdir(parents=True)
    (place / "runs" / "one" / "manifest.json").write_text("{}")
    (place / "runs" / "no-run").mkdir()
    (place / "mine.toml").write_text("")
    grammar = completion.grammar(cli.COMMANDS)
    for shell in completion.SHELLS:
        from particlegvi.cli import shells

        (place / shell).write_text(shells.script(shell, grammar))
    return place


def asked(shell, words, folder):
    """What a shell offers for the last of the words."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    quoted = " ".join(f"'{word}'" for word in words)
    if shell == "bash":
        program = f"source ./bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _particlegvi"
        program += "; printf '%s\\n' \"${COMPREPLY[@]}\""
    elif shell == "zsh":
        program = """compdef() { : }
_files() { print -l -- *(.N) }
_describe() { local each; for each in ${(P)2}; do print -- ${each%%:*}; done }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }
source ./zsh
"""
        program += f"words=({quoted}); CURRENT={len(words)}; _particlegvi"
    else:
        program = f"source ./fish; complete -C \"{' '.join(words)}\""
    command = [shell, "-f", "-c", program] if shell == "zsh" else [shell, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return {line.split("\t")[0] for line in done.stdout.splitlines() if line.split("\t")[0].startswith(words[-1])}


SHELLS = pytest.mark.parametrize("shell", completion.SHELLS)


@SHELLS
def test_commands(shell, folder):
    assert asked(shell, ["particlegvi", ""], folder) >= set(cli.COMMANDS)
    assert asked(shell, ["particlegvi", "res"], folder) == {"resume"}


@SHELLS
def test_options(shell, folder):
    offered = asked(shell, ["particlegvi", "run", "--s"], folder)
    assert {"--seed", "--set"} <= offered and "--frames" not in offered


@SHELLS
def test_scenarios_and_files(shell, folder):
    assert asked(shell, ["particlegvi", "run", "global"], folder) == {
        name for name in catalogue.names() if name.startswith("global")
    }
    if shell != "fish":
        assert asked(shell, ["particlegvi", "run", "mi"], folder) == {"mine.toml"}


@SHELLS
def test_keys_of_set(shell, folder):
    offered = asked(shell, ["particlegvi", "run", "lifting", "--set", "st"], folder)
    assert offered == {f"{key}=" for key in KEYS if key.startswith("st")}
    assert "methods.DRLE.mmd_weight=" in asked(shell, ["particlegvi", "run", "lifting", "--set", "methods.DR"], folder)


@SHELLS
def test_folders_of_runs(shell, folder):
    offered = asked(shell, ["particlegvi", "resume", ""], folder)
    assert "runs/one" in offered and "runs/no-run" not in offered
    assert "runs/one" in asked(shell, ["particlegvi", "resume", "runs/o"], folder)


@SHELLS
def test_choices(shell, folder):
    assert asked(shell, ["particlegvi", "completion", ""], folder) == set(completion.SHELLS)
    assert {"png", "pdf", "svg"} <= asked(shell, ["particlegvi", "plot", "runs/one", "--format", ""], folder)


@SHELLS
def test_every_option_of_every_command_is_in_the_script(shell, folder):
    script = (folder / shell).read_text()
    for name, (_, _, arguments) in cli.COMMANDS.items():
        assert name in script
        for flags, _ in arguments:
            if flags[0].startswith("-"):
                assert (f"-l {flags[0][2:]} " if shell == "fish" else flags[0]) in script
    assert script.startswith(f"# particlegvi completion for {shell}. To install it: ")


def test_the_command_prints_it(capsys, folder):
    assert cli.main(["completion", "fish"]) == 0
    assert capsys.readouterr().out == (folder / "fish").read_text()
    assert cli.main(["completion", "tcsh"]) == 2
