"""Make the notebooks of the course from its pages: `python docs/course/notebooks.py`.

A page is the only source. Its words become cells of words and its blocks of Python cells of code, which show what they
compute at their end. Pictures of the page are left out, as the cells draw their own. Each exercise gets an empty cell
before its folded answer, and the code of an answer stays in the fold.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LECTURES = ("landscapes", "noise", "repulsion", "steps", "functions", "honesty")
# An answer as a whole, or a block of Python outside of answers.
PARTS = re.compile(r"(<details>.*?</details>|```python\n.*?```)", re.DOTALL)
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n", re.MULTILINE)
FIGURE = re.compile(r"^(figure|picture) = ", re.MULTILINE)
LAST_NAME = re.compile(r"(?:^|\n)(\w+) = [^\n]*\Z")


def cells_of(page: str) -> list[tuple[str, str]]:
    """Kind and text of each cell of the notebook of a page."""
    cells = []
    for part in PARTS.split(PICTURE.sub("", page)):
        if part.startswith("```python"):
            cells.append(("code", shown(part.removeprefix("```python\n").removesuffix("```").strip())))
            continue
        if part.startswith("<details>"):
            cells.append(("code", "# your answer"))
        cells += [("markdown", words) for words in [re.sub(r"\n{3,}", "\n\n", part).strip()] if words]
    return cells


def shown(code: str) -> str:
    """The code of a cell, which then shows its figures and the last name that it assigns."""
    names = [f"display({name})" for name in FIGURE.findall(code)]
    last = LAST_NAME.search(code)
    names += [last[1]] if last and not FIGURE.match(f"{last[1]} = ") else []
    return "\n".join([code, *names])


def notebook(page: str) -> str:
    """The text of the notebook of a page, without outputs."""
    cells = []
    for number, (kind, text) in enumerate(cells_of(page)):
        code = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cell = {"cell_type": kind, "id": f"{kind}-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
        cells.append({**cell, **code})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for name in LECTURES:
        page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
        (FOLDER / f"{name}.ipynb").write_text(notebook(page), encoding="utf-8")


if __name__ == "__main__":
    main()
