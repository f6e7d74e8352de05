"""docs/course: its form, its notebooks, and its numbers beside formulas that do not use the package.

The tables of numbers on the pages are read: each number with its error and its formula. The formulas are evaluated in
every run of the tests, and the code of the pages in the thorough ones.
"""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.scenario import catalogue

from .sources import script

LECTURES = ("landscapes", "noise", "repulsion", "steps", "functions", "honesty", "posterior")
NEW = (
    "start-decides", "network-landscape", "temperature", "crossing-time", "repulsion-alone", "few-particles-bias",
    "step-sizes", "prior-draws", "honest-benchmark", "narrow-ridge",
)  # fmt: skip
QUESTION = re.compile(r"^\*\*Question (\d+)\.\*\* .*\?", re.MULTILINE)
DECIMAL = re.compile(r"(?<![\w.,])\d+\.\d+(?![\d.]*\w)")
NOT_NUMBERS = (
    r"```.*?```", r"^\|.*$", r"!?\[[^\]]*\]\([^)]*\)", r"(?:Theorem|Proposition) [\d.]+", r"^#.*$",
)  # fmt: skip  # code, tables, links, numbers of theorems, headings


@pytest.fixture(scope="module")
def folder(root):
    return root / "docs" / "course"


@pytest.fixture(scope="module")
def notebooks(folder):
    return script(folder / "notebooks.py")


@pytest.fixture(scope="module")
def tables(folder):
    """The program that reads the tables."""
    known = set(sys.modules)
    program = script(folder / "tables.py")
    sys.path.remove(str(folder))
    for name in {"formulas", "notebooks"} - known:
        del sys.modules[name]
    return program


def page(folder, name: str) -> str:
    return (folder / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_has_its_parts(folder, notebooks, name):
    """Five steps, and ten to fifteen cells: a question, code, and a picture."""
    text, sheet = page(folder, name), page(folder, f"exercises/{name}")
    assert max(len(text.splitlines()), len(sheet.splitlines())) <= 150
    assert [int(step) for step in re.findall(r"^\*\*(\d)\. ", text, re.MULTILINE)] == [1, 2, 3, 4, 5]
    cells = re.split(QUESTION, text)[1:]
    assert [int(number) for number in cells[::2]] == list(range(1, len(cells) // 2 + 1))
    assert 10 <= len(cells) // 2 <= 15
    for words in cells[1::2]:
        (block,) = notebooks.blocks(words)
        assert re.fullmatch(r"(plt\.show|show|.*\.plot)\(.*\)", block.strip().splitlines()[-1]), block
    assert [int(number) for number in re.findall(r"^## (\d)\. ", sheet, re.MULTILINE)] == [1, 2, 3]
    assert sheet.count("<details><summary>Answer</summary>\n\n") == 3
    assert sheet.count("<details>") == sheet.count("\n\n</details>")
    assert len(re.findall(r"^!\[.{20,}\]\(\.\./\.\./plots/", text, re.MULTILINE)) in (1, 2)
    assert re.search(r"particlegvi animate ", text) and re.search(r"particlegvi page ", text)
    named = set(re.findall(r"particlegvi (?:page|run|animate|sweep|show) ([a-z][a-z-]+)(?![\w/-])", text + sheet))
    assert named <= set(catalogue.names())


def test_the_lectures_lead_to_each_other_and_the_index_to_all(folder):
    index = page(folder, "index")
    assert all(f"]({name}.md)" in index and f"](exercises/{name}.md)" in index for name in LECTURES)
    for here, there in zip(LECTURES, LECTURES[1:], strict=False):
        assert f"]({there}.md)" in page(folder, here) and f"]({here}.md)" in page(folder, there)
    everything = index + "".join(page(folder, name) for name in LECTURES)
    assert all(f"`{name}`" in everything or f'"{name}"' in everything for name in NEW)


@pytest.mark.parametrize("name", LECTURES)
def test_a_notebook_is_that_of_its_pages(folder, notebooks, name):
    text = notebooks.source(name)
    stored = (folder / f"{name}.ipynb").read_text(encoding="utf-8")
    assert stored == notebooks.notebook(text), "run python docs/course/notebooks.py"
    cells = json.loads(stored)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code.count("# your answer") == 3 and not any(cell.get("outputs") for cell in cells)
    assert stored != notebooks.notebook(text.replace("5 for the", "4 for the"))  # a control


def rows(folder, tables) -> list:
    return [number for name in LECTURES for number in tables.numbers(page(folder, f"exercises/{name}"))]


@pytest.mark.slow
def test_every_number_is_within_its_error_of_its_formula(folder, tables):
    """With controls: the same numbers are refused where the value is off by twice its error, or the error is large."""
    everything = rows(folder, tables)
    assert len(everything) > 60
    assert [str(number) for number in everything if not number.holds()] == []
    for number in everything:
        side = 1.0 if float(number.value) >= number.exact() else -1.0
        false = float(number.value) + side * 2.0 * float(number.error)
        assert not number._replace(value=repr(false), origin="words").holds(), f"falsified: {number}"
        if number.error_in_theory() is not None:
            assert not number._replace(error=repr(1.5 * float(number.error))).holds(), f"too large an error: {number}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", LECTURES)
@pytest.mark.often("[!r]*")
def test_no_number_stands_outside_of_tables(folder, tables, name):
    """A decimal in words is one of the code, of a table's value or error, or of a formula, rounded."""
    text, sheet = page(folder, name), page(folder, f"exercises/{name}")
    words = text + "\n" + sheet
    for pattern in NOT_NUMBERS:
        words = re.sub(pattern, " ", words, flags=re.DOTALL | re.MULTILINE if "```" in pattern else re.MULTILINE)
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text + sheet, re.DOTALL)).replace("_", "")
    code += "\n".join(re.findall(r"^\|.*\|$", text, re.MULTILINE))  # and the tables of a lecture, which commands print
    known = {float(number) for number in re.findall(r"\d+\.\d+(?:e-?\d+)?|\d+e-?\d+", code)}
    for number in tables.numbers(sheet):
        known |= {float(number.value), float(number.error), number.exact(), (number.error_in_theory() or 0.0) / 3.0}
    assert strange(words, known) == []
    assert strange(words + " 0.12345", known) == ["0.12345"]  # the control


def strange(words: str, known: set[float]) -> list[str]:
    """The decimals in words that are no known number, rounded to their digits."""

    def near(decimal: str) -> bool:
        unit = 10.0 ** -len(decimal.partition(".")[2])
        return any(abs(abs(number) - float(decimal)) <= 0.5001 * unit for number in known)

    return [decimal for decimal in DECIMAL.findall(words) if not near(decimal)]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:the repulsion of DRLE between", "ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.filterwarnings("ignore:.*(not yet at equilibrium|metastable|not arrived|beyond the stability limit)")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.needs("sklearn"), pytest.mark.slow] * (name == "honesty"))
        for name in LECTURES
    ],
)
@pytest.mark.slow
def test_the_code_of_a_lecture_has_its_numbers(folder, tables, name, elsewhere):
    """Values are those of the code up to one unit of the last digit; those of draws are within their errors."""
    import matplotlib.pyplot as plt

    names = tables.executed(name)
    plt.close("all")
    for number in tables.numbers(page(folder, f"exercises/{name}")):
        value = float(eval(number.name, names))
        if number.origin.startswith("`"):  # of draws: a version with other draws has another number
            assert number.again(value).holds(), number
        else:
            assert abs(value - float(number.value)) <= 1.01 * 10.0 ** -tables.decimals(number.value), number


@pytest.mark.slow
@pytest.mark.needs("nbclient", "nbformat", "ipykernel", "sklearn")
@pytest.mark.parametrize("name", LECTURES)
def test_a_notebook_runs_and_each_question_has_a_picture(root, folder, name, tmp_path, monkeypatch):
    """In a kernel of its own, outside of the repository."""
    monkeypatch.delenv("MPLBACKEND")  # a kernel shows the figures of pyplot in the notebook
    cells = script(root / "docs" / "notebook.py").executed(folder / f"{name}.ipynb", tmp_path).cells
    for words, code in zip(cells, cells[1:], strict=False):
        if code.cell_type == "code" and "**Question " in words.source:
            shown = [each for each in code.outputs if "image/png" in each.get("data", {})]
            assert len(shown) == 1, code.source
    assert "np.float64(" not in json.dumps(cells)


MEDIANS = re.compile(
    r"thirteen of them take (\d+) to (\d+) steps,? (?:and )?([\d,]+) to ([\d,]+) gradients"
    r".*?`eight_schools` takes (\d+) steps and\s+([\d,]+) gradients", re.DOTALL,
)  # fmt: skip


def differing(lecture: str, measured: str) -> list[str]:
    """The posteriors whose steps or gradients in the table of lecture 7 are not those that the other page has."""
    told = [float(number.replace(",", "")) for number in MEDIANS.search(measured).groups()]
    found = re.findall(r"^\| (\w\S+) \| \d+ \| 10 of 10 \| (\S+) \| (\S+) \|", lecture, re.MULTILINE)
    assert len(found) == 4
    wrong = []
    for name, *numbers in found:
        low, high = (told[4:], told[4:]) if name == "eight_schools" else (told[:4:2], told[1:4:2])
        for number, least, most, rounding in zip(map(float, numbers), low, high, (0.5, 50.0), strict=True):
            wrong += [name] if not least - rounding <= number <= most + rounding else []
    return wrong


@pytest.mark.thorough
def test_lecture_7_quotes_the_numbers_of_the_page_of_sample(root, folder):
    lecture, measured = page(folder, "posterior"), (root / "docs" / "sample.md").read_text(encoding="utf-8")
    assert differing(lecture, measured) == []
    changed = re.sub(r"(eight_schools` takes) \d+", r"\1 99", measured)
    assert differing(lecture, changed) == ["eight_schools"]


@pytest.mark.slow
def test_numbers_that_a_sheet_copies_are_those_of_a_run(folder):
    """Exercise 3 of lecture 6, with its first seed: DE and DRE in the gap and outside."""
    pairs = re.findall(r"(?:gap|outside) = np\.array\(\[\[(\S+), (\S+)\]", page(folder, "exercises/honesty"))
    scenario = pg.scenarios.get("regression-gap")
    both = {label: scenario["methods"][label] for label in ("DE", "DRE")}
    scores = pg.run({**scenario, "methods": both}, seed=0).summary["methods"]
    for region, copied in zip(("gap", "outside"), pairs, strict=True):
        assert [f"{scores[label]['regions'][region]['nll']:.2f}" for label in both] == list(copied)


@pytest.mark.thorough
def test_two_particles_have_the_bias_of_the_law_in_the_scenario(folder):
    """The law exp(-E/kl_weight) of two particles by quadrature, beside the formula that is drawn."""
    scenario, formulas = pg.scenarios.get("few-particles-bias"), script(folder / "formulas.py")
    many, exact = formulas.repelled_spring(particles=1000), formulas.repelled_spring(particles=2)
    drawn = {name: float(pg.Loss.from_formula(formula, ["particles"]).value(np.array([[2.0]]))[0])
             for name, formula in scenario["sweep"]["laws"].items()}  # fmt: skip
    assert drawn == {"Q*": pytest.approx(many, abs=1e-4), "Q* − 0.11/N": pytest.approx(exact, abs=2e-3)}
    assert many - exact > 0.02  # two particles have another law than many: the claim `few-particles` runs them
