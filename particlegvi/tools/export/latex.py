"""Tables in LaTeX, for papers: from the texts of ``table.md`` and from grids of texts."""

from __future__ import annotations

import re

SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"
}  # fmt: skip


def latex(markdown: str) -> str:
    """The tables of a text in Markdown, as LaTeX with the lines of the package booktabs; other lines are comments."""
    blocks = []
    for block in markdown.strip().split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("|"):
            head, _, *rows = (line.strip("|").split("|") for line in lines)
            blocks.append(tabular([[word.strip() for word in row] for row in (head, *rows)]))
        else:
            blocks.append("\n".join(f"% {line}" for line in lines))
    return "\n\n".join(blocks) + "\n"


def tabular(rows: list[list[str]]) -> str:
    """A grid of texts, its head first: the first column to the left, the others to the right."""
    head, *lines = (f"{' & '.join(map(escaped, row))} \\\\" for row in rows)
    columns = "l" + "r" * (len(rows[0]) - 1)
    body = [r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([f"\\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"])


def escaped(text: str) -> str:
    """A text with LaTeX's letters of its own escaped, and +- as a sign."""
    plain = re.sub(r"[\\&%$#_{}~^]", lambda letter: SPECIAL[letter[0]], text)
    return plain.replace("+-", r"$\pm$")
