"""Wheel, source distribution and recipe hold the files and requirements of the checkout, and work from any folder."""

import configparser
import importlib.util
import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

import particlegvi

from .interpreters import python

PIP = ("-m", "pip", "--disable-pip-version-check")


@pytest.fixture
def settings(root) -> configparser.ConfigParser:
    read = configparser.ConfigParser()
    read.read(root / "setup.cfg", encoding="utf-8")
    return read


def contents(root: Path) -> set[str]:
    """Every file that an installed package must hold, by its path in the wheel."""
    code = {
        path.relative_to(root).as_posix()
        for pattern in ("*.py", "*.pyi", "*.toml", "*.js", "*.css", "*.html", "*.txt", "shell/*.*sh")
        for path in (root / "particlegvi").rglob(pattern)
    }
    scenarios = {f"particlegvi/scenario/files/{path.name}" for path in (root / "scenarios").glob("*.toml")}
    assert scenarios
    return code | scenarios | {"particlegvi/py.typed"}


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    """A wheel built without the network from a copy of the checkout, so that no old build folder can help."""
    missing = [name for name in ("pip", "setuptools") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"building a wheel needs {', '.join(missing)}: pip install '.[test]'")
    work = tmp_path_factory.mktemp("packaging")
    source = work / "source"
    leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("particlegvi", "scenarios"):
        shutil.copytree(root / name, source / name, ignore=leave_out)
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    python(*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", work, source)
    (built,) = work.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_everything_and_works_from_another_folder(root, wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if ".dist-info/" not in name} == contents(root)
    target, elsewhere = tmp_path / "target", tmp_path / "elsewhere"
    elsewhere.mkdir()
    python(*PIP, "install", "--no-index", "--no-deps", "--target", target, wheel)
    options = {"cwd": elsewhere, "PYTHONPATH": str(target)}
    where = python("-c", "import particlegvi; print(particlegvi.__file__)", **options).stdout
    assert Path(where.strip()).is_relative_to(target)
    listed = json.loads(python("-m", "particlegvi", "list", "--json", **options).stdout)
    assert {row["name"] for row in listed} == {path.stem for path in (root / "scenarios").glob("*.toml")}
    words = "import particlegvi.scenarios as s, particlegvi as g; print(s is g.scenarios, len(s.names()))"
    assert python("-c", words, **options).stdout.startswith(f"True {len(listed)}\n")
    assert (target / "bin" / "particlegvi").exists() or (target / "Scripts" / "particlegvi.exe").exists()
    assert not list(elsewhere.iterdir())


@pytest.mark.thorough
def test_the_source_distribution_holds_every_file_of_the_checkout(root, tmp_path):
    if not (root / ".git").exists():
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    tracked = {name for name in listed.splitlines() if (root / name).exists()}
    for name in tracked:
        place = tmp_path / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).suffix in {".png", ".gif"}:
            place.touch()  # megabytes of pictures tell nothing more
        else:
            shutil.copy(root / name, place)
    build = "import setuptools.build_meta as build; print(build.build_sdist('dist'))"
    python("-c", build, cwd=tmp_path / "source")
    (archive,) = (tmp_path / "source" / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        held = {name.partition("/")[2] for name in packed.getnames() if not packed.getmember(name).isdir()}
    assert not tracked - held
    assert not {name for name in held - tracked if "egg-info" not in name and name not in {"PKG-INFO"}}


def test_one_version_everywhere(root, settings):
    version = settings["metadata"]["version"]
    released = re.search(rf"\n## \[{version}\] - (.*)\n", (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    cited = f"\nversion: {version}\ndate-released: {released[1]}\n"
    assert released[1] == "unreleased" or cited in (root / "CITATION.cff").read_text(encoding="utf-8")
    assert particlegvi.__version__ == version


def requirements(text: str) -> dict[str, str]:
    """The lower bound of each package in lines such as ``numpy >= 2.0``."""
    found = re.findall(r"^\s*(?:- )?([\w-]+) ?>= ?([\d.]+)$", text, flags=re.MULTILINE)
    return {name.removesuffix("-base"): bound for name, bound in found}


def test_the_recipe_has_the_requirements_of_the_package(root, settings):
    recipe = (root / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    needed = requirements(recipe.partition("  run:")[2])
    assert needed.pop("python") == settings["options"]["python_requires"].removeprefix(">=")
    assert needed == requirements(settings["options"]["install_requires"])


def test_each_python_of_the_classifiers_is_tested_and_released(root, settings):
    named = set(re.findall(r"Python :: (3\.\d+)$", settings["metadata"]["classifiers"], flags=re.MULTILINE))
    for workflow in ("tests", "release"):
        text = (root / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
        assert named <= set(re.findall(r"3\.\d+", text)), workflow
