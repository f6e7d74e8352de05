"""The Python of docs/projected-langevin.md runs, and says what the page says."""

from __future__ import annotations

import re
import subprocess
import sys

CHECKS = """
assert functions.shape == (200, 50) and pls.info_["equilibrium"]["reached"]
at = pls.predict(X, of="target")
assert np.abs(at - (2.0 + np.sin(2.0 * X[:, 0])) ** 2).mean() < 0.8
assert 60 < np.sum(functions[:, 25] > 0.0) < 140 and np.allclose(sd[[0, -1]] ** 2, 4.0, atol=1.5)
"""


def test_the_page_runs(root, tmp_path):
    text = (root / "docs" / "projected-langevin.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    command = [sys.executable, "-c", program + CHECKS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
