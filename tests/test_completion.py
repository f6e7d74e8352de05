"""The completion scripts, asked by the shells that are installed."""

import os
import pty
import shutil
import subprocess

import pytest

from particlegvi import cli
from particlegvi.cli import completion
from particlegvi.scenario import catalogue
from particlegvi.scenario.kinds.particles.keys import KEYS

# The first TAB writes the words that zsh offers to a file, and ends the shell.
ZSHRC = r"""
autoload -Uz compinit
compinit -u -D
setopt NO_AUTO_LIST
eval "$(cat zsh)"
compadd() {
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        local -a matches
        builtin compadd -O matches "$@"
        print -l -- $matches >> offered
    fi
    builtin compadd "$@"
}
ask() { zle complete-word; exit 0 }
zle -N ask
bindkey '^I' ask
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("completion")
    (place / "runs" / "one").mkdir(parents=True)
    (place / "runs" / "one" / "manifest.json").write_text("{}")
    (place / "runs" / "no-run").mkdir()
    (place / "mine.toml").write_text("")
    (place / ".zshrc").write_text(ZSHRC)
    for shell in completion.SHELLS:
        (place / shell).write_text(completion.script(shell, cli.COMMANDS))
    return place


def asked(shell, words, folder):
    """The words that a shell offers for the last of the words."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    if shell == "zsh":
        offered = asked_zsh(words, folder)
    else:
        quoted = " ".join(f"'{word}'" for word in words)
        if shell == "bash":
            program = f"source ./bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _particlegvi"
            program += "; printf '%s\\n' \"${COMPREPLY[@]}\""
        else:
            program = f'source ./fish; complete -C "{" ".join(words)}"'
        done = subprocess.run([shell, "-c", program], cwd=folder, capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        offered = done.stdout
    return {line.split("\t")[0] for line in offered.splitlines() if line.split("\t")[0].startswith(words[-1])}


def asked_zsh(words, folder):
    """The words that zsh offers in a terminal of its own."""
    offered = folder / "offered"
    offered.write_text("")
    ours, its = pty.openpty()
    environment = {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb"}
    shell = subprocess.Popen(
        ["zsh", "-d", "-i"], cwd=folder, env=environment, stdin=its, stdout=its, stderr=its, start_new_session=True
    )
    try:
        os.write(ours, (" ".join(words) + "\t").encode())
        assert shell.wait(timeout=60) == 0
    finally:
        shell.kill()
        os.close(ours)
        os.close(its)
    return offered.read_text()


SHELLS = pytest.mark.parametrize("shell", ["bash", pytest.param("zsh", marks=pytest.mark.thorough), "fish"])


# The words typed, and those that must be offered; an empty last word may be offered more.
OFFERED = [
    ("particlegvi ", {*cli.COMMANDS}),
    ("particlegvi res", {"resume"}),
    ("particlegvi run --se", {"--seed", "--set"}),
    ("particlegvi run global", {name for name in catalogue.names() if name.startswith("global")}),
    ("particlegvi run mi", {"mine.toml"}),
    ("particlegvi run lifting --set st", {f"{key}=" for key in KEYS if key.startswith("st")}),
    ("particlegvi resume ", {"runs/one"}),
    ("particlegvi resume runs/o", {"runs/one"}),
    ("particlegvi completion ", {*completion.SHELLS}),
    ("particlegvi plot runs/one --format ", {"png", "pdf", "svg"}),
    ("particlegvi data wine", {"wine-colour", "wine-quality", "wine-white"}),
]


@SHELLS
def test_what_is_offered(shell, folder):
    for typed, words in OFFERED:
        offered = {word.rstrip("/") for word in asked(shell, typed.split(" "), folder)}
        if (shell, typed) != ("fish", "particlegvi run mi"):
            assert offered >= words if typed.endswith(" ") else offered == words, typed
        assert not offered & {"--frames", "runs/no-run"}
    assert "methods.DRLE.mmd_weight=" in asked(shell, ["particlegvi", "run", "lifting", "--set", "methods.DR"], folder)


def test_bash_parts_words_at_the_equals_sign(folder):
    assert asked("bash", ["particlegvi", "run", "--set", "steps", "=", "4", "liftin"], folder) == {"lifting"}
    assert asked("bash", ["particlegvi", "plot", "runs/one", "--format", "=", "pn"], folder) == {"png"}


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
