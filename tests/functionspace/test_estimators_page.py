"""The Python of docs/estimators.md runs, and says what the page says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

CHECKS = """
assert functions.shape == (100, 100)
assert classifier.predict_proba(X).shape == (100, 2)
assert 0.1 < factor < 10.0 and 0.5 < radius < 10.0
assert gaussian_nll(y[test], mean, np.sqrt(factor) * sd) < gaussian_nll(y[test], y[train].mean(), y[train].std())
"""


def test_the_page_runs(root, tmp_path):
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    text = (root / "docs" / "estimators.md").read_text(encoding="utf-8")
    program = "\n".join([*re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL), CHECKS])
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
