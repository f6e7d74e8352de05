"""New interpreters, which tests of several folders start."""

from __future__ import annotations

import os
import subprocess
import sys


def python(*arguments, cwd=None, program=sys.executable, **environment) -> subprocess.CompletedProcess[str]:
    """A finished interpreter without an error; a variable of its environment that is None is taken away."""
    known = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 600}
    done = subprocess.run([program, *map(str, arguments)], cwd=cwd, env=known, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done
