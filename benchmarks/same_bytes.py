"""Compare the bytes of runs of this tree with those of another: the check of a change that claims to move no number.

    python benchmarks/same_bytes.py main                               # a commit, and a few small scenarios
    python benchmarks/same_bytes.py main multimodal lifting            # other scenarios
    python benchmarks/same_bytes.py main multimodal --set steps=500    # smaller runs

The other tree is a worktree of git in a temporary folder. Each tree runs its own package: the processes import nothing
from the current folder. All files of a run are compared but its manifest, which holds times. The exit code is 0 where
all bytes are equal, and 1 where a file differs, which is named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ("global-minimiser", "multimodal", "four-particles", "regression-curve")


def run(tree: Path, scenario: str, options: list[str], out: Path) -> None:
    """A run of a scenario by the package in ``tree``."""
    command = [sys.executable, "-P", "-m", "particlegvi", "run", scenario, "--seed", "0", "--quiet", "--no-figure"]
    for option in options:
        command += ["--set", option]
    known = {**os.environ, "PYTHONPATH": str(tree)}
    subprocess.run([*command, "--out", str(out)], check=True, env=known, stdin=subprocess.DEVNULL)


def files(folder: Path) -> dict[str, bytes]:
    """The content of each file of a run but the manifest."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def differences(before: Path, after: Path, scenarios: list[str], options: list[str]) -> list[str]:
    """One line for each file that differs between runs of the packages in the two folders."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for scenario in scenarios:
            runs = []
            for name, tree in (("before", before), ("after", after)):
                out = Path(folder) / name / scenario
                out.parent.mkdir(exist_ok=True)
                run(tree, scenario, options, out)
                runs.append(files(out))
            names = sorted({*runs[0], *runs[1]})
            lines += [f"{scenario}: {name}" for name in names if runs[0].get(name) != runs[1].get(name)]
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("scenarios", nargs="*", default=SCENARIOS, help=f"default: {' '.join(SCENARIOS)}")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="options")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(before), chosen.commit], check=True)
        try:
            lines = differences(before, ROOT, list(chosen.scenarios), chosen.options)
        finally:
            subprocess.run([*git, "remove", "--force", str(before)], check=True)
    print("\n".join(lines) or f"the same bytes in {', '.join(chosen.scenarios)}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
