"""The words of the figures and of the live page in every language: one small file a language, ``en.toml`` and so on.

A file has the table ``[language]`` with its own name and the marks of its numbers, and a table for each place that has
words: ``[figures]``, ``[page]``. A text may hold LaTeX between dollar signs, and values by name in braces:
``"{count} particles"``.

To add a word, write its key into that table of *every* file and say ``words.of(language)("figures.KEY", count=3)``; the
page takes a whole table, ``words.of(language).table("page")``. To add a language, copy ``en.toml`` to ``XX.toml`` and
translate what is right of the equals signs: it is offered at once. A test holds that all files have the same keys and
the same values in braces, but for three tables: ``[titles]`` and ``[labels]``, translations of titles and labels of the
package's scenarios by the English one (in English labels alone), and ``[sources]``, translations of words of sources.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from particlegvi.tools.quoting import refuse

__all__ = ["DEFAULT", "Words", "check", "filled", "languages", "of"]

DEFAULT = "en"
DOCUMENTATION = re.compile(r"docs/[\w./-]+")
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")  # a value by its name; the braces of LaTeX are left as they are
_HOME = Path(__file__).parent


def languages() -> list[str]:
    """All languages by their two letters (ISO 639-1), in alphabetical order."""
    return sorted(path.stem for path in _HOME.glob("*.toml"))


def check(value: object, key: str = "language") -> str:
    """The language, or a ValueError of one sentence that names the existing ones."""
    known = languages()
    if not isinstance(value, str) or value not in known:
        names = [f'"{language}"' for language in known]
        raise refuse(key, value, " or ".join([", ".join(names[:-1]), names[-1]]))
    return value


def filled(text: str, values: Mapping[str, object]) -> str:
    """A text with each ``{name}`` replaced by the value of that name, where there is one."""
    return PLACE.sub(lambda match: str(values.get(match[1], match[0])), text)


def of(language: str = DEFAULT) -> Words:
    """The words of a language (`check`)."""
    return _read(check(language))


@functools.cache
def _read(language: str) -> Words:
    import tomllib  # imported here because the command line lists languages without reading them

    return Words(language, tomllib.loads((_HOME / f"{language}.toml").read_text(encoding="utf-8")))


class Words:
    """The words of one language.

    Attributes
    ----------
    language : str
        Its two letters.
    """

    def __init__(self, language: str, tables: Mapping[str, Mapping[str, str]]) -> None:
        self.language = language
        self._tables = tables

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of a key, ``"figures.density"``, with each ``{name}`` replaced by the value of that name.

        Numbers are given as texts that `number` made; anything else is shown by ``str``.
        """
        table, _, name = key.partition(".")
        return filled(self._tables[table][name], values)

    def table(self, name: str) -> Mapping[str, str]:
        """All texts of one table, by their keys."""
        return self._tables[name]

    def title(self, title: str) -> str:
        """The translation of a title of the package's scenarios; any other is as its author wrote it."""
        return self._tables.get("titles", {}).get(title, title)

    def source(self, source: str) -> str:
        """A source in this language. Pages of the documentation are left out: they tell a viewer nothing."""
        told = DOCUMENTATION.sub("", source).strip(" ;,")
        for word, own in self._tables.get("sources", {}).items():
            told = re.sub(rf"\b{re.escape(word)}\b", own, told)
        return told

    def label(self, label: str) -> str:
        """The translation of a label in the package's scenarios; any other is as its author wrote it."""
        return self._tables.get("labels", {}).get(label, label)

    def number(self, text: str) -> str:
        """A number as Python prints it, ``"1,234.5"``, with the marks of this language; also with ``%`` or an exponent.

        The text must hold only the number: commas and points of a sentence would be changed too.
        """
        own = self._tables["language"]
        marks = {",": own["thousands"], ".": own["decimal"], "%": own["percent"]}
        return "".join(marks.get(letter, letter) for letter in text)

    def count(self, value: int) -> str:
        """A whole number with the mark of thousands: "100,000"."""
        return self.number(f"{value:,}")
