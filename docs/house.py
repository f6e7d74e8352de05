"""Draw docs/house.png from the imports of the package: `python docs/house.py`.

Each box is a package. A package imports packages below it only. Of its imports
those are drawn that no path of others implies, so that the picture shows the roads and not every use of a tool.
"""

from __future__ import annotations

import ast
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

ROOT = Path(__file__).resolve().parent.parent
HIDDEN = ("__init__", "__main__", "version")
MATHEMATICS = (
    "losses", "kernels", "priors", "integrators", "methods", "targets", "diagnostics", "functionspace",
    "networks", "metrics",
)  # fmt: skip
SCENARIOS = ("scenario", "runs", "sweeps", "plotting", "verification", "cli")


def part_of(path: Path) -> str:
    """The package, or the module at the root, that a file belongs to."""
    return path.relative_to(ROOT / "particlegvi").parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The packages and root modules that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "particlegvi":
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("particlegvi."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            # who comes in by the front door, `import particlegvi as pg`, stands above all that it opens on
            found |= {(each.name + ".runs").split(".")[1] for each in node.names if "particlegvi" in each.name}
    return found


def graph() -> dict[str, set[str]]:
    """The parts that each part imports."""
    below: dict[str, set[str]] = {}
    files = [path for path in sorted((ROOT / "particlegvi").rglob("*.py")) if part_of(path) not in HIDDEN]
    for path in files:
        below.setdefault(part_of(path), set()).update(imports(path))
    return {part: (others & set(below)) - {part} for part, others in below.items()}


def floors(below: dict[str, set[str]]) -> dict[str, int]:
    """The floor of each part: one above the highest that it imports."""
    floor: dict[str, int] = {}

    def of(part: str) -> int:
        if part not in floor:
            floor[part] = 1 + max((of(other) for other in below[part]), default=-1)
        return floor[part]

    for part in below:
        of(part)
    return floor


def roads(below: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no path of other imports implies."""

    def reached(part: str) -> set[str]:
        return below[part].union(*(reached(other) for other in below[part]))

    return [
        (part, other)
        for part, others in below.items()
        for other in others
        if not any(other in reached(between) for between in others - {other})
    ]


def draw() -> Figure:
    """The picture."""
    below = graph()
    floor = floors(below)
    rows: dict[int, list[str]] = {}
    for part in sorted(floor):
        rows.setdefault(floor[part], []).append(part)
    width = max(11.0, 1.56 * max(map(len, rows.values())))  # a box is 1.44 wide
    figure = Figure(figsize=(width, 0.66 * len(rows) + 0.6))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(-0.75, len(rows) - 0.25))
    axes.set_axis_off()
    place = {}
    for parts in rows.values():
        parts = sorted(parts, key=lambda part: sum(place[other] for other in below[part] & set(place)) / 9.0)
        for index, part in enumerate(parts):
            place[part] = width * (index + 0.5) / len(parts) if len(parts) > 1 else 0.5 * width
    for part, other in roads(below):
        axes.annotate(
            "", (place[other], floor[other] + 0.25), (place[part], floor[part] - 0.25),
            zorder=0, arrowprops={"arrowstyle": "-|>", "color": "#7A7A7A", "lw": 0.9, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
    for part, x in place.items():
        colour = "#DCEBF7" if part in MATHEMATICS else "#FBE9D0" if part in SCENARIOS else "#E8E8E8"
        box = FancyBboxPatch((x - 0.72, floor[part] - 0.25), 1.44, 0.5, boxstyle="round,pad=0,rounding_size=0.08")
        box.set(facecolor=colour, edgecolor="#4A4A4A", linewidth=0.9)
        axes.add_patch(box)
        axes.text(x, floor[part], part, ha="center", va="center", fontsize=12.5, weight="bold")
    return figure


def described() -> str:
    """The roads as a text, which the picture carries, so that a test can see whether it is up to date."""
    return ", ".join(sorted(f"{part} > {other}" for part, other in roads(graph())))


if __name__ == "__main__":
    draw().savefig(ROOT / "docs" / "house.png", dpi=110, metadata={"Software": None, "Description": described()})
