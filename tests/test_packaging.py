"""The installed package has the files of the checkout, and works from any folder."""

import configparser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


def setup_cfg(root: Path) -> configparser.ConfigParser:
    settings = configparser.ConfigParser()
    settings.read(root / "setup.cfg", encoding="utf-8")
    return settings


def contents(root: Path) -> set[str]:
    """Every file that an installed package must hold, by its path in the wheel."""
    code = {
        path.relative_to(root).as_posix()
        for pattern in ("*.py", "*.toml", "*.js", "*.css", "*.html", "*.txt", "shell/*.*sh")
        for path in (root / "particlegvi").rglob(pattern)
    }
    scenarios = {f"particlegvi/scenarios/{path.name}" for path in (root / "scenarios").glob("*.toml")}
    assert scenarios
    return code | scenarios | {"particlegvi/py.typed"}


def run(command: list, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    """A wheel built without the network from a copy of the checkout, so that no old build folder can help."""
    missing = [name for name in ("pip", "setuptools", "wheel") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"building a wheel needs {', '.join(missing)}: pip install '.[test]'")
    work = tmp_path_factory.mktemp("packaging")
    source = work / "source"
    leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("particlegvi", "scenarios"):
        shutil.copytree(root / name, source / name, ignore=leave_out)
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    run([*pip, "--no-index", "--no-deps", "--no-build-isolation", "-w", work, source])
    (built,) = work.glob("*.whl")
    return built


@pytest.mark.thorough
def test_the_wheel_holds_everything_and_nothing_else(root, wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == contents(root)


@pytest.mark.thorough
def test_the_wheel_works_from_another_folder(root, wheel, tmp_path):
    target, elsewhere = tmp_path / "target", tmp_path / "elsewhere"
    elsewhere.mkdir()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    run([*pip, "--no-index", "--no-deps", "--target", target, wheel])
    options = {"cwd": elsewhere, "env": {**os.environ, "PYTHONPATH": str(target)}}

    where = run([sys.executable, "-c", "import particlegvi; print(particlegvi.__file__)"], **options)
    assert Path(where.strip()).is_relative_to(target)
    listed = json.loads(run([sys.executable, "-m", "particlegvi", "list", "--json"], **options))
    assert {row["name"] for row in listed} == {path.stem for path in (root / "scenarios").glob("*.toml")}
    assert (target / "bin" / "particlegvi").exists() or (target / "Scripts" / "particlegvi.exe").exists()
    assert not list(elsewhere.iterdir())


def test_one_version_everywhere(root):
    version = setup_cfg(root)["metadata"]["version"]
    released = re.search(rf"\n## \[{version}\] - (.*)\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    cited = f"\nversion: {version}\ndate-released: {released[1]}\n"
    assert released[1] == "unreleased" or cited in (root / "CITATION.cff").read_text(encoding="utf-8")
    printed = run([sys.executable, "-c", "import particlegvi; print(particlegvi.__version__)"])
    assert printed.strip() == version
