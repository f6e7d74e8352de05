"""A release: its source distribution is the checkout, and the files for hosts and channels say what setup.cfg says."""

import configparser
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest


@pytest.fixture
def settings(root) -> configparser.ConfigParser:
    read = configparser.ConfigParser()
    read.read(root / "setup.cfg", encoding="utf-8")
    return read


def requirements(text: str) -> dict[str, str]:
    """The lower bound of each package in lines such as ``numpy >= 2.0``."""
    found = re.findall(r"^\s*(?:- )?([\w-]+) ?>= ?([\d.]+)$", text, flags=re.MULTILINE)
    return {name.removesuffix("-base"): bound for name, bound in found}


def test_the_recipe_has_the_requirements_of_the_package(root, settings):
    recipe = (root / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    run = requirements(recipe.partition("  run:")[2])
    assert run.pop("python") == settings["options"]["python_requires"].removeprefix(">=")
    assert run == requirements(settings["options"]["install_requires"])


def test_each_python_of_the_classifiers_is_tested_and_released(root, settings):
    named = set(re.findall(r"Python :: (3\.\d+)$", settings["metadata"]["classifiers"], flags=re.MULTILINE))
    for workflow in ("tests", "release"):
        text = (root / ".github" / "workflows" / f"{workflow}.yml").read_text(encoding="utf-8")
        assert named <= set(re.findall(r"3\.\d+", text)), workflow


def test_the_address_of_the_project_stands_in_one_place(root):
    tracked = subprocess.run(["git", "grep", "-l", "example.invalid"], cwd=root, capture_output=True, text=True)
    if tracked.returncode > 1:
        pytest.skip("not a checkout of git")
    assert set(tracked.stdout.split()) == {"setup.cfg", "tests/test_release.py"}


@pytest.mark.thorough
def test_the_source_distribution_holds_every_file_of_the_checkout(root, tmp_path):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a checkout of git")
    tracked = {name for name in listed.stdout.splitlines() if (root / name).exists()}
    for name in tracked:
        place = tmp_path / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).suffix in {".png", ".gif"}:
            place.touch()  # megabytes of pictures tell nothing more
        else:
            shutil.copy(root / name, place)
    build = "import setuptools.build_meta as build; print(build.build_sdist('dist'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=tmp_path / "source", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = (tmp_path / "source" / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        held = {name.partition("/")[2] for name in packed.getnames() if not packed.getmember(name).isdir()}
    assert not tracked - held
    assert not {name for name in held - tracked if "egg-info" not in name and name not in {"PKG-INFO"}}
