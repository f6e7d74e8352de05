"""Every language says the same things, with the same values in them."""

import re
import tomllib
from pathlib import Path

import pytest

from particlegvi import plotting
from particlegvi.plotting import curves, moving
from particlegvi.scenario import catalogue, load
from particlegvi.tools import words

EVERY = words.languages()


def tables(language: str) -> dict[str, dict[str, str]]:
    path = Path(words.__file__).with_name(f"{language}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def differences(first: dict, second: dict) -> list[str]:
    """The keys that only one language has, or whose texts have other values in braces or another number of formulas."""
    found = []
    own = ("titles", "labels", "sources")
    first, second = ({name: keys for name, keys in each.items() if name not in own} for each in (first, second))
    for table in sorted({*first, *second}):
        one, other = first.get(table, {}), second.get(table, {})
        for key in sorted({*one, *other}):
            texts = (one.get(key, ""), other.get(key, ""))
            values = [sorted(words.PLACE.findall(text)) for text in texts]
            formulas = [sorted(re.findall(r"(?<!\\)\$[^$]*\$", text)) for text in texts]
            if not all(texts) or values[0] != values[1] or formulas[0] != formulas[1]:
                found.append(f"{table}.{key}")
    return found


@pytest.mark.parametrize("language", EVERY)
def test_every_language_has_the_same_keys_and_values(language):
    own = tables(language)
    assert differences(tables("en"), own) == []
    assert all(isinstance(text, str) and text for table in own.values() for text in table.values())


def test_a_difference_is_found():
    english = {"figures": {"seed": "seed {seed}", "time": "time $t$"}}
    assert differences(english, {"figures": {"seed": "Startwert {seed}", "time": "Zeit $t$"}}) == []
    assert differences(english, {"figures": {"seed": "Startwert {sed}", "time": "Zeit $t$"}}) == ["figures.seed"]
    assert differences(english, {"figures": {"seed": "Startwert {seed}"}}) == ["figures.time"]
    assert differences(english, {"figures": {"seed": "Startwert {seed}", "time": "Zeit t"}}) == ["figures.time"]
    assert differences(english, {**english, "page": {"play": "Play"}}) == ["page.play"]


def test_values_take_their_places_and_latex_stays():
    english = words.of("en")
    assert english("figures.seed", seed=3) == "seed 3"
    assert english("figures.time_of_schedule") == r"time $t = \sum_k \eta_k$"
    own = words.Words("xx", {"page": {"a": r"{high} over $\lambda_\text{KL}$ and {low}", "b": "{b}"}})
    assert own("page.a", high="{low}", low=1) == r"{low} over $\lambda_\text{KL}$ and 1"
    assert own.table("page")["b"] == "{b}"


@pytest.mark.parametrize(
    ("python", "german"),
    [("0.125", "0,125"), ("1,234,567", "1\u202f234\u202f567"), ("12.5%", "12,5\u00a0%"), ("1e-05", "1e-05")],
)
def test_numbers_have_the_marks_of_the_language(python, german):
    assert words.of("en").number(python) == python
    assert words.of("de").number(python) == german
    assert words.of("de").count(100_000) == "100\u202f000"


def test_every_word_that_figures_say_is_there():
    sources = [path.read_text(encoding="utf-8") for path in Path(plotting.__file__).parent.glob("*.py")]
    said = {key for source in sources for key in re.findall(r"""say\(\s*["'](\w+)["']""", source)}
    assert len(said) > 50
    assert said | {*moving.KEYS.values(), *curves.SIGNS} <= set(words.of("en").table("figures"))


def test_titles_and_labels_are_translated_and_are_those_of_scenarios():
    """Every title of the package has a translation; one of a title or a label that has changed is found here."""
    scenarios = [load(name) for name in catalogue.ours()]
    labels = {label for each in scenarios for key in ("methods", "models") for label in each.get(key, ())}
    for path in Path(words.__file__).parents[2].glob("scenario/tables/*.toml"):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        labels |= {*table.get("models", {}).values(), *(row.get("title") for row in table.get("rows", {}).values())}
    sweeps = [each["sweep"] for each in scenarios if "sweep" in each]
    labels |= {name for sweep in sweeps for name in sweep.get("laws", ())}
    labels |= {key.rpartition(".")[2].replace("_", " ") for sweep in sweeps for key in sweep["over"]}
    notes = {figure["note"] for each in scenarios for figure in each.get("figures", ()) if "note" in figure}
    for language in set(EVERY) - {words.DEFAULT}:
        assert set(tables(language)["titles"]) == {each["title"] for each in scenarios} | notes
        assert set(tables(language)["labels"]) <= labels
    german = words.of("de")
    assert german.title("Twenty particles and two thousand minima") == "Zwanzig Partikel und zweitausend Minima"
    assert german.title("My own title") == "My own title" and german.label("hot") == "heiß"
    assert german.source("thesis, Figure 4.1; docs/x.md") == "Dissertation, Abb. 4.1"
