"""The names of particlegvi.functionspace: all there, imported when first used, and without what takes a second."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from particlegvi import functionspace

EVERYTHING = """
import json, sys
import particlegvi.functionspace as functionspace
first = sorted(sys.modules)
names = {name: type(getattr(functionspace, name)).__name__ for name in functionspace.__all__}
print(json.dumps([first, names, sorted(sys.modules)]))
"""


@pytest.mark.thorough
def test_every_name_is_there_and_light(tmp_path):
    command = [sys.executable, "-c", EVERYTHING]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first, names, after = json.loads(done.stdout)
    assert names["ExactGaussianProcess"] == "type" and names["covariances"] == "module"
    assert not {"numpy", "scipy", "numba"} & set(first)
    assert not {"matplotlib", "scipy.stats"} & set(after)
    assert "scipy.optimize" in after  # the probe sees what is loaded


def test_other_names_are_not():
    assert set(dir(functionspace)) == set(functionspace.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'ExactGP'"):
        _ = functionspace.ExactGP
