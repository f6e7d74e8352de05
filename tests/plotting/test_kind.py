"""A kind of figure brings the checks of its options and the way its file is written."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import plotting
from particlegvi.plotting import heading, palettes, style
from particlegvi.plotting.kind import kinds
from particlegvi.settings import colours

from ..bad_values import VALUES, wrong_answers
from ..plain_parts import PlainMethod


def test_every_option_answers_every_value():
    """Also those options that `test_bad_input` does not name: a sentence, or nothing where the value is allowed."""
    for name in plotting.names():
        kind = kinds[name]
        assert set(kind.checks) == set(kind.defaults) == set(plotting.options(name))
        kind.checked(kind.defaults)
        for option in kind.checks:
            check = lambda value, k=kind, o=option: k.checked({o: value})
            wrong = wrong_answers(f"{name} {option}", check, VALUES)
            assert not wrong, "\n".join(wrong)


# Deuteranopia at full severity, for linear RGB: Machado, Oliveira and Fernandes (2009), table 1.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)


def seen(colour: str, eye: np.ndarray) -> str:
    """A colour after a matrix for linear RGB."""
    mixed = np.clip(eye @ colours.channels(colour), 0.0, 1.0)
    values = np.where(mixed <= 0.0031308, 12.92 * mixed, 1.055 * mixed ** (1 / 2.4) - 0.055)
    return "#{:02X}{:02X}{:02X}".format(*np.round(255 * values).astype(int))


def closest(chosen: list[str], eye: np.ndarray) -> float:
    return min(colours.distance(one, other) for one, other in combinations([seen(each, eye) for each in chosen], 2))


def method(label: str, kl_weight: float = 0.0, mmd_weight: float = 0.0) -> SimpleNamespace:
    return SimpleNamespace(method=PlainMethod(label, kl_weight, mmd_weight))


def test_methods_stay_apart_for_every_eye():
    """By tens of 2.3, a difference that is just noticeable (Mahy et al. 1994); the control is a bad palette."""
    every = [palettes.LIGHT.methods[label] for label in ("DE", "DLE", "DRE", "DRLE", "FDGVI")]
    assert closest(every, np.eye(3)) > 10 * 2.3
    assert closest(every, DEUTERANOPIA) > 7 * 2.3
    # The figures of the thesis show these together, which are farther apart.
    together = [palettes.LIGHT.methods[label] for label in ("DE", "DLE", "DRLE", "FDGVI")]
    assert closest(together, DEUTERANOPIA) > 10 * 2.3
    red_and_green = ["#A52A2A", "#556B2F"]
    assert closest(red_and_green, np.eye(3)) > 10 * 2.3 and closest(red_and_green, DEUTERANOPIA) < 7 * 2.3


def test_labels_say_the_weights():
    assert style.method_label("DRLE", method("DRLE", 1.0, 0.5)) == (
        r"DRLE ($\lambda_\text{KL} = 1,\ \lambda_\text{MMD} = 0.5$)"
    )
    assert style.method_label("DE", method("DE")) == "DE"
    assert style.method_label("FDGVI", method("FDGVI", 0.5)) == r"FD-GVI ($\lambda_\text{KL} = 0.5$)"
    assert style.method_label("a $ b", method("DE")) == r"a \$ b"


def test_numbers_are_written_as_on_a_blackboard():
    for value, text in {
        0.5: "0.5", 1.0: "1", 0.0: "0", 300: "300", 1e-4: "10^{-4}", -1e-5: "-10^{-5}", 4.55e-5: r"4.55\times 10^{-5}",
        9.9999e-6: "10^{-5}", 2e7: r"2\times 10^{7}",
    }.items():  # fmt: skip
        assert style.mathtext(value) == text


def test_the_line_of_facts_names_only_what_all_runs_share():
    def run(particles: int, steps: int, info: dict | None = None) -> SimpleNamespace:
        return SimpleNamespace(
            positions=np.zeros((2, particles, 1)), steps=np.array([0, steps]), step_size=0.1, seed=4, info=info or {}
        )

    assert heading.settings({"a": run(1000, 5000)}) == ["1,000 particles", "5,000 steps of 0.1", "seed 4"]
    assert heading.settings({"a": run(10, 50), "b": run(20, 60)}) == ["seed 4"]
    gaussian = run(10, 7, {"mean": [0.0], "sd": [1.0]})
    assert heading.settings({"a": run(10, 50), "b": gaussian}) == ["10 particles", "50 steps of 0.1", "seed 4"]


def test_a_name_is_written_as_in_a_book():
    names = {"x": "x", "x1": "x_{1}", "x_2": "x_{2}", "v_max": r"\mathrm{v\_max}", "a_b_c": r"\mathrm{a\_b\_c}"}
    assert [style.symbol(name) for name in names] == list(names.values())


@pytest.mark.thorough
def test_figures_name_the_axes():
    short = {"steps": 5, "particles": 20, "step_size": 0.01, "methods": {"DLE": {}}}
    figure = plotting.figure(pg.run({"loss": "(speed - 1)^2", **short}), "histograms")
    assert "parameter $\\mathrm{speed}$" in {axes.get_xlabel() for axes in figure.axes}
    axes = plotting.figure(pg.run({"loss": "b^2 + a^2", **short}), "particles").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$b$", "$a$")
    known = pg.losses.get("double-well")  # a loss of the package has none
    assert style.coordinates(known, 1) == [r"$\theta$"]


def test_the_title_of_a_method_that_is_stuck_says_so(line):
    for verdict, words in (
        ("at equilibrium: ...", ""),
        ("near Q*, but metastable: ...", "metastable: few cross"),  # with a distance that is like that of exact draws
        ("metastable: at rest ...", "metastable: wrong shares"),
    ):
        with style.slide_style():
            axes = style.new_slide().subplots()
            show = style.note_metastable(axes, {"equilibrium": {"verdict": verdict}}, line["DLE"])
        assert [text.get_text() for text in axes.texts] == [words] * bool(words)
        show(0)  # nothing is judged before the end
        assert not any(text.get_text() for text in axes.texts)
