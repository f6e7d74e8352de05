"""docs/course: its form, its notebooks, and its numbers beside closed forms and integrals that are computed here.

Each lecture's Python is run once, answers included; a page must state the numbers that it gives. Tolerances are four
standard errors, unless a number is exact. Each check has a control: a wrong law that the same tolerance refuses.
"""

from __future__ import annotations

import json
import re
from statistics import NormalDist

import numpy as np
import pytest
from scipy import integrate

import particlegvi as pg
from particlegvi.scenario import catalogue

from .sources import script

LECTURES = ("landscapes", "noise", "repulsion", "steps", "functions", "honesty")
NEW = (
    "start-decides", "network-landscape", "temperature", "crossing-time", "repulsion-alone", "few-particles-bias",
    "step-sizes", "prior-draws", "honest-benchmark",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(root):
    return root / "docs" / "course"


@pytest.fixture(scope="module")
def notebooks(folder):
    return script(folder / "notebooks.py")


def page(folder, name: str) -> str:
    return (folder / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_has_its_parts(folder, name):
    text = page(folder, name)
    assert len(text.splitlines()) <= 150
    assert [int(step) for step in re.findall(r"^\*\*(\d)\. ", text, re.MULTILINE)] == [1, 2, 3, 4, 5]
    assert [int(number) for number in re.findall(r"^### (\d)\. ", text, re.MULTILINE)] == [1, 2, 3]
    assert text.count("<details><summary>Answer</summary>\n\n") == text.count("\n\n</details>") == 3
    assert len(re.findall(r"^!\[.{20,}\]\(\.\./\.\./plots/", text, re.MULTILINE)) == 2
    assert re.search(r"particlegvi (page|animate) ", text)
    named = set(re.findall(r"particlegvi (?:page|run|animate|sweep|show) ([a-z][a-z-]+)(?![\w/-])", text))
    assert named <= set(catalogue.names())


def test_the_lectures_lead_to_each_other_and_the_index_to_all(folder):
    index = page(folder, "index")
    assert len(index.splitlines()) <= 150
    assert all(f"]({name}.md)" in index for name in LECTURES)
    for here, there in zip(LECTURES, LECTURES[1:], strict=False):
        assert f"]({there}.md)" in page(folder, here) and f"]({here}.md)" in page(folder, there)
    everything = index + "".join(page(folder, name) for name in LECTURES)
    assert all(f"`{name}`" in everything or f'"{name}"' in everything for name in NEW)


@pytest.mark.parametrize("name", LECTURES)
def test_a_notebook_is_that_of_its_page(folder, notebooks, name):
    text = page(folder, name)
    stored = (folder / f"{name}.ipynb").read_text(encoding="utf-8")
    assert stored == notebooks.notebook(text), "run python docs/course/notebooks.py"
    cells = json.loads(stored)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code.count("# your answer") == 3 and not any(cell.get("outputs") for cell in cells)
    assert sum("```python" in "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown") >= 3
    assert stored != notebooks.notebook(text.replace("5 for the", "4 for the"))  # a control


def test_a_cell_shows_its_figures_and_its_last_name(notebooks):
    assert notebooks.shown("figure = run.plot()\nshare = 1") == "figure = run.plot()\nshare = 1\ndisplay(figure)\nshare"
    assert notebooks.shown("print(1)") == "print(1)"
    assert notebooks.shown("figure = run.plot()") == "figure = run.plot()\ndisplay(figure)"


def near(value: float, expected: float, error: float) -> bool:
    return abs(value - expected) <= 4.0 * error


def binomial(share: float, number: int) -> float:
    return float(np.sqrt(share * (1.0 - share) / number))


def told(text: str, *numbers: str) -> None:
    """A page states each number."""
    assert [number for number in numbers if number not in text] == []


def tilted(x):
    return 1.5 * (x**4 / 4.0 + x**3 / 3.0 - x**2)


GRID = np.linspace(-6.0, 6.0, 1201)


def normalised(level):
    q = np.exp(-(level - level.min()))
    return q / q.sum()


def share_below(q) -> float:
    return float(q[GRID < -1e-9].sum() + 0.5 * q[np.abs(GRID) < 1e-9].sum())


def landscapes(found, text):
    start = NormalDist(0.5, 1.0).cdf(0.0)
    assert near(found["share"], start, binomial(start, 10_000))
    assert not near(found["share"], 0.5, binomial(0.5, 10_000))  # the share of the start N(0, 1)
    assert near(found["third"], 1.0 / 3.0, binomial(1.0 / 3.0, 10_000))
    assert found["difference"] == 0.0
    odds = np.array([4.0, 84.0, 144.0, 24.0]) / 256.0  # of 1, 2, 3 and 4 valleys: words of four letters
    mean = float(odds @ [1, 2, 3, 4])
    assert mean == pytest.approx(4.0 * (1.0 - 0.75**4))
    sd = float(np.sqrt(odds @ np.array([1, 4, 9, 16]) - mean**2))
    assert near(found["found"].mean(), mean, sd / 100.0) and not near(found["found"].mean(), 2.75, sd / 400.0)
    assert near(np.mean(found["found"] == 4), 24.0 / 256.0, binomial(24.0 / 256.0, 10_000))
    told(text, f"{start:.4f}", f"{10_000 * found['share']:,.0f}", f"{10_000 * found['third']:,.0f}", f"{mean:.3f}",
         f"{found['found'].mean():.3f}")  # fmt: skip


def noise(found, text):
    for weight, variance in found["variances"].items():
        curvature = 4.0 + weight
        exact = weight / curvature / (1.0 - 0.5 * 5e-3 * curvature)  # of the chain with these steps
        assert near(variance / exact, 1.0, np.sqrt(2.0 / 20_000))
        assert not near(variance * 4.0 / weight, 1.0, np.sqrt(2.0 / 20_000)) or weight < 0.5  # without the prior
        told(text, f"{weight / curvature:.3f}", f"{exact:.3f}")
    assert share_below(normalised(tilted(GRID) / found["low"] + 0.5 * GRID**2)) == pytest.approx(0.9, abs=1e-4)
    told(text, f"{found['low']:.3f}", f"{share_below(normalised(tilted(GRID) + 0.5 * GRID**2)):.3f}")
    well = lambda x: (x * x - 1.0) ** 2 / 0.25
    exact = integrate.quad(
        lambda y: np.exp(well(y)) * integrate.quad(lambda z: np.exp(-well(z)), -3.0, y)[0], -1.0, 1.0
    )[0] / 0.25  # fmt: skip
    kramers = 2.0 * np.pi / np.sqrt(32.0) * np.exp(4.0)
    arrived = int(found["arrived"][-1].sum())
    assert near(found["mean_time"], exact, exact / np.sqrt(arrived))
    assert not near(found["mean_time"], kramers, kramers / np.sqrt(arrived))
    told(text, f"{exact:.1f}", f"{kramers:.1f}", f"{found['mean_time']:.1f}", f"sqrt({arrived})")


def repulsion(found, text):
    assert found["same"] is True
    other = pg.methods.DRLE(1.0, 0.5, found["near"])
    moved = pg.simulate(found["well"], other, found["prior"], 100, 1000, 1e-3, seed=0, record_every=0).final
    assert not np.array_equal(moved, found["dle"])  # with a weight the bits differ
    told(text, *(f"{share:.3f}" for share in found["left"].values()))
    shares = found["shares"]
    assert near(shares["DE"], NormalDist(0.5, 1.0).cdf(0.0), binomial(0.31, 500))
    assert near(shares["DRLE"], found["left"][0.5], binomial(0.79, 500))
    assert not near(shares["DRE"], found["left"][0.5], binomial(0.79, 500))  # it keeps its start
    independent = 8.0 * (1.0 - 0.875**8)
    assert near(found["means"][0.0], independent, 0.95 / np.sqrt(5.0))
    assert found["means"][32.0] == found["covered"] == 8
    for mean, told_mean in zip(found["means"].values(), (5.4, 5.5, 5.7, 6.7, 7.4, 8.0), strict=True):
        assert near(mean, told_mean, np.hypot(0.95 / np.sqrt(5.0), 0.1))
    told(text, f"{independent:.2f}", "5.4, 5.5, 5.7, 6.7, 7.4 and 8.0")


def steps(found, text):
    for (scheme, eta), sd in found["spread"].items():
        chain, truth = np.sqrt(0.2 / (1.0 - 2.5 * eta)), np.sqrt(0.2)
        exact = chain if scheme == "euler-maruyama" else truth
        assert near(sd / exact, 1.0, 1.0 / np.sqrt(40_000)), (scheme, eta)
        told(text, f"{chain:.3f}")
        if eta > 0.05:  # a control: the other scheme's law
            assert not near(sd * exact / (chain * truth), 1.0, 1.0 / np.sqrt(40_000))
    bias = found["bias"]
    assert 1.9 < bias[0.02] / bias[0.01] < bias[0.04] / bias[0.02] < 2.4  # order two would be four
    told(text, *(f"{each:.4f}" for each in bias.values()))
    level = 4.0 * (0.366 * GRID**4 - 2.419 * GRID**2 + 0.1 * GRID) + 0.5 * ((GRID + 0.6) / 1.6) ** 2
    middle = np.abs(GRID) < 0.5
    top = float(GRID[middle][np.argmax(level[middle])])
    assert top == pytest.approx(0.0335, abs=0.01)
    assert found["true_share"] == pytest.approx(normalised(level)[GRID < 0.0335].sum(), abs=1e-3)
    start = NormalDist(-0.6, 1.6).cdf(0.0335)
    assert near(found["left"]["DLE"], start, binomial(start, 1000))
    assert near(found["left"]["with jumps"], found["true_share"], binomial(found["true_share"], 1000))
    assert not near(found["left"]["DLE"], found["true_share"], binomial(found["true_share"], 1000))
    told(text, f"{start:.3f}", f"{found['true_share']:.3f}", f"{1000 * found['left']['DLE']:.0f} of 1,000",
         f"{1000 * found['left']['with jumps']:.0f}")  # fmt: skip


def functions(found, text):
    for known in (found["far"], found["at_ten"]):
        assert list(known.values()) == pytest.approx([np.sqrt(1.5)] * 3, abs=1e-6)
    evidence, lost = found["exact"], found["lost"]
    assert lost[5] > 50.0 > lost[10] > 0.05 > lost[20] >= -1e-8
    told(text, f"{evidence:.3f}", f"{evidence - lost[5]:.1f}", f"{evidence - lost[10]:.2f}", f"{lost[10]:.2f} nats")
    told(text, "74.5%, 97% and 97%")
    assert [round(share, 3) for share in found["covered"].values()] == [0.745, 0.97, 0.97]
    assert near(found["positive"], 0.5, 0.05) and found["mixed"] > 0.5
    told(text, f"{100 * found['positive']:.0f}, 43, 42, 52 and 48", f"{100 * found['mixed']:.0f}%")


def honesty(found, text):
    moved = found["moved"]
    # 502 parameters, 1,000 steps of 1e-3, kl_weight 1e-4; the length has the relative error 1/sqrt(2 * 502 * 5)
    assert near(moved["noise"] / np.sqrt(2.0 * 1e-3 * 1e-4 * 1000 * 502), 1.0, 1.0 / np.sqrt(2.0 * 502 * 5))
    assert found["ratio"] == pytest.approx(6100.0, rel=0.01) and moved["interaction"] < 1e-4
    scores, covered = zip(*found["scores"].values(), strict=True)
    assert np.ptp(scores) < 0.0105 and max(covered[:2]) < 0.03 and min(covered[2:]) > 0.9
    told(text, "6,100", "3,050", "2% of the data", "94% for SVGP")
    mean, error = found["against_constant"]
    assert mean < -3.0 * error
    mean, error = found["against_linear"]
    assert abs(mean) < 4.0 * error
    gap, outside = found["gap"], found["outside"]
    assert np.sum(gap[:, 1] < gap[:, 0]) == 1 and np.all(outside[:, 1] < outside[:, 0])


NUMBERS = {each.__name__: each for each in (landscapes, noise, repulsion, steps, functions, honesty)}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.needs("sklearn"), pytest.mark.slow] * (name == "honesty"))
        for name in LECTURES
    ],
)
@pytest.mark.filterwarnings("ignore:the repulsion of DRLE between")
def test_the_numbers_of_a_lecture_hold(folder, name, elsewhere):
    text, found = page(folder, name), {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, f"{name}.md", "exec"), found)
    NUMBERS[name](found, text)


@pytest.mark.thorough
def test_two_particles_have_the_bias_of_the_law_in_the_scenario():
    """The law exp(-E/kl_weight) of two particles by quadrature, beside the formula that is drawn."""
    scenario = pg.scenarios.get("few-particles-bias")
    x = np.linspace(-5.0, 5.0, 401)
    level = 0.5 * x**2 - 10.0 * np.exp(-(x**2) / 4.0) / np.sqrt(2.0) + 0.125 * x**2
    energy = level[:, None] + level + 5.0 * np.exp(-0.5 * (x[:, None] - x) ** 2)
    law = np.exp(-(energy - energy.min()) / 0.25)
    exact = float(law.sum(axis=1) @ (0.5 * x**2) / law.sum())
    loss, prior = pg.Loss.from_formula("t^2/2", ["t"]), pg.priors.Normal(0.0, 1.0)
    method = pg.methods.DRLE(0.25, 5.0, pg.kernels.SquaredExponential(1.0))
    many = 0.5 * float(pg.target(loss, method, prior=prior).variance)
    drawn = {name: float(pg.Loss.from_formula(formula, ["particles"]).value(np.array([[2.0]]))[0])
             for name, formula in scenario["sweep"]["laws"].items()}  # fmt: skip
    assert drawn == {"minimiser Q*": pytest.approx(many, abs=1e-4), "Q* - 0.11/N": pytest.approx(exact, abs=2e-3)}
    assert many - exact > 0.02  # two particles have another law than many: the claim `few-particles` runs them
