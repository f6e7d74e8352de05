"""Make the notebooks of the course from its pages: `python docs/course/notebooks.py`.

A lecture and its exercises are the only source. Their words become cells of words and their blocks of Python cells of
code. Pictures of the page are left out, as the cells draw their own. Each exercise gets an empty cell before its folded
answer, and the code of an answer stays in the fold.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LECTURES = ("landscapes", "noise", "repulsion", "steps", "functions", "honesty", "posterior")
# An answer as a whole, or a block of Python outside of answers.
PARTS = re.compile(r"(<details>.*?</details>|```python\n.*?```)", re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:)([^)#]+)[^)]*\)")  # to a page of the docs
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n", re.MULTILINE)


def source(name: str) -> str:
    """The text of a lecture and of its exercises, with links from the folder of the lecture."""
    lecture = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    exercises = (FOLDER / "exercises" / f"{name}.md").read_text(encoding="utf-8")
    return lecture + "\n" + exercises.replace("](../", "](")


def blocks(text: str) -> list[str]:
    """The Python of a page, block by block."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def named(link: re.Match[str]) -> str:
    """The words of a link and the file: a notebook that was downloaded has no page beside it."""
    if link[2].endswith(".ipynb"):
        return link[1]  # it is this notebook
    file = f"`{posixpath.normpath('docs/course/' + link[2])}`"
    is_in_brackets = link.string[: link.start()].endswith("(") and link.string[link.end() :].startswith(")")
    return f"{link[1]}, {file}" if is_in_brackets else f"{link[1]} ({file})"


def cells_of(text: str) -> list[tuple[str, str]]:
    """Kind and text of each cell of a notebook."""
    cells = []
    for part in PARTS.split(LINK.sub(named, PICTURE.sub("", text))):
        if part.startswith("```python"):
            cells.append(("code", blocks(part)[0].strip()))
            continue
        if part.startswith("<details><summary>Answer<"):
            cells.append(("code", "# your answer"))
        cells += [("markdown", words) for words in [re.sub(r"\n{3,}", "\n\n", part).strip()] if words]
    return cells


def notebook(text: str) -> str:
    """The text of the notebook of a lecture, without outputs."""
    cells = []
    for number, (kind, content) in enumerate(cells_of(text)):
        code = {"execution_count": None, "outputs": []} if kind == "code" else {}
        cell = {"cell_type": kind, "id": f"{kind}-{number}", "metadata": {}}
        cells.append({**cell, "source": content.splitlines(keepends=True), **code})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for name in LECTURES:
        (FOLDER / f"{name}.ipynb").write_text(notebook(source(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
