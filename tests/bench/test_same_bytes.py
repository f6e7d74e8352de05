"""The script that compares the bytes of two trees finds a planted change, and nothing where there is none."""

import shutil

import pytest

from ..sources import script

SMALL = ["particles=8", "steps=20"]


@pytest.mark.slow
def test_a_planted_change_is_found(root, tmp_path):
    trees = [tmp_path / "before", tmp_path / "after"]
    leave_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for tree in trees:
        for name in ("particlegvi", "scenarios"):
            shutil.copytree(root / name, tree / name, ignore=leave_out)
    compared = script(root / "benchmarks" / "same_bytes.py")
    assert compared.differences(*trees, ["global-minimiser"], SMALL) == []
    right, wrong = "2.0 * step_size * temperature", "2.1 * step_size * temperature"
    planted = 0
    for path in (trees[1] / "particlegvi" / "integrators").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        planted += text.count(right)
        path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert planted
    lines = compared.differences(*trees, ["global-minimiser"], SMALL)
    assert "global-minimiser: summary.json" in lines
    assert any("DLE" in line for line in lines) and not any("/DE" in line for line in lines)
