"""The completion scripts, asked by the shells that are installed."""

import shutil
import subprocess

import pytest

from particlegvi import cli
from particlegvi.scenario import catalogue


def script(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_of_every_command_is_in_the_script(shell, capsys):
    text = script(shell, capsys)
    for name, (_, _, arguments) in cli.COMMANDS.items():
        assert name in text
        for flags, _ in arguments:
            if flags[0].startswith("-"):
                assert (flags[0][2:] if shell == "fish" else flags[0]) in text
    assert cli.main(["completion", "tcsh"]) == 2


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["particlegvi", "res"], {"resume"}),
        (["particlegvi", "run", "--se"], {"--seed", "--set"}),
        (["particlegvi", "run", "global"], {name for name in catalogue.names() if name.startswith("global")}),
    ],
)
def test_what_bash_offers(words, offered, tmp_path, capsys):
    (tmp_path / "bash").write_text(script("bash", capsys))
    quoted = " ".join(words)
    program = f"source ./bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_particlegvi"
    program += "; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert {word.strip() for word in done.stdout.split()} == offered, done.stderr
