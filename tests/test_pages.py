"""The README and the pages of docs/ say what is true: their commands, their links, their Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from particlegvi.cli import COMMANDS


def pages(root: Path) -> list[Path]:
    return [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def readme_commands(root: Path) -> list[list[str]]:
    """The README's one-line commands, each split at its ``&&``."""
    lines = [line for block in blocks(root / "README.md", "bash") for line in block.splitlines()]
    return [[step.strip() for step in line.split("&&")] for line in lines if "&&" in line]


def test_ci_runs_the_test_command_of_the_readme(root):
    script = root / ".ci" / "run"
    lines = [line.strip().removesuffix(" || failed=1") for line in script.read_text(encoding="utf-8").splitlines()]
    (steps,) = [steps for steps in readme_commands(root) if steps[-1].startswith("pytest")]
    places = {".venv/bin/activate": '"$work/venv/bin/activate"', ".venv": '"$work/venv"'}  # CI's is a temporary one
    expected = [" ".join(places.get(word, word) for word in step.split(" ")) for step in steps]
    positions = [lines.index(step) for step in expected]
    assert positions == sorted(positions)
    assert {"ruff check", "mypy"} <= set(lines)
    assert os.access(script, os.X_OK)


def test_the_readme_has_its_two_commands(root):
    install, test = readme_commands(root)
    assert install[-2:] == ["pip install .", "particlegvi run global-minimiser"]
    assert test[-2:] == ["pip install -e '.[test]'", "pytest -q -n auto"]


def test_every_file_the_pages_link_to_exists(root):
    links = [
        (page, link)
        for page in pages(root)
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    assert links
    assert not [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()]


def test_every_command_of_the_pages_exists(root):
    text = "\n".join(block for page in pages(root) for block in blocks(page, "bash"))
    shown = set(re.findall(r"^(?:.*&& )?particlegvi (\w+)", text, flags=re.MULTILINE))
    assert {"run", "list"} <= shown
    assert shown <= COMMANDS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_the_python_of_a_page_runs(root, tmp_path, name):
    """All blocks of one page, one after the other, as a reader would type them."""
    program = "\n".join(blocks(root / name, "python"))
    assert "pg.simulate(" in program
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
