"""The completion script of bash; shtab tests those of other shells."""

import shutil
import subprocess

import pytest

from particlegvi import cli
from particlegvi.scenario import catalogue


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
    assert cli.main(["completion", "bash"]) == 0
    (tmp_path / "bash").write_text(capsys.readouterr().out)
    quoted = " ".join(words)
    program = f"source ./bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _shtab_particlegvi"
    program += "; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert {word.strip() for word in done.stdout.split()} == offered, done.stderr
