"""The Python of docs/function-space.md runs, and says what the page says."""

from __future__ import annotations

import re
import subprocess
import sys

CHECKS = """
assert np.allclose(e.features(X) @ e.features(X).T + residual.covariance(X), before(X))
assert e.features(X).shape == (200, 15) and e.prior_variances("rkhs").shape == (15,)
assert np.abs(mean - np.sin(3.0 * X[:, 0])).max() < 0.4 and labels.min() >= 0.0 and labels.max() <= 1.0
"""


def test_the_page_runs(root, tmp_path):
    text = (root / "docs" / "function-space.md").read_text(encoding="utf-8")
    first, second = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    program = "\n".join([first, "before = k", second, CHECKS])
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
