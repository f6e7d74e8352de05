"""docs/theory, docs/which-method.md, docs/faq.md and docs/messages.md: their path, their claims, their sentences, and
numbers of docs/theory that no claim of `particlegvi verify` has."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy import integrate, optimize

import particlegvi as pg
from particlegvi.targets.fokker_planck import FokkerPlanck

PATH = ("problem.md", "flow.md", "limits.md", "functions.md", "certificates.md")
LONGEST = 150
LATER = re.compile(r"\{[^{}]*\}|(?:\.\.\.)+")  # a value that the program puts in, and how a page shows it


def page(root, name: str) -> str:
    return (root / "docs" / "theory" / name).read_text(encoding="utf-8")


def test_pages_are_short(root):
    """All but the appendices, which are for referees, and what the build of the site has copied."""
    docs = root / "docs"
    names = [path for path in docs.rglob("*.md") if path.relative_to(docs).parts[0] not in ("appendix", "reference")]
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in names}
    assert len(lines) > len(PATH) + 40
    assert {name: number for name, number in lines.items() if number > LONGEST} == {}


def test_claims_that_the_pages_name_exist(root):
    table = (root / "docs" / "claims.md").read_text(encoding="utf-8")  # tests/verification compares it
    known = set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    assert len(known) > 60
    for name in PATH:
        told = [line for line in page(root, name).splitlines() if line.startswith("Tested: ")]
        named = set(re.findall(r"`([a-z0-9-]+)`", " ".join(told)))
        assert named, name
        assert named <= known, name
    rows = [line.split(" | ")[-1] for line in page(root, "errors.md").splitlines() if line.startswith("| ")]
    shown = {word for row in rows for word in re.findall(r"`([a-z0-9-]+)`", row)} - {"more-modes", "-code", "-thesis"}
    assert shown
    assert shown <= known
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (root / "docs").rglob("*.md"))
    asked = set(re.findall(r"`(?:particlegvi )?verify ([a-z0-9]+(?:-[a-z0-9]+)+)`", pages))
    assert len(asked) > 20
    assert asked <= known


def parsed(root) -> Iterator[ast.AST]:
    for path in sorted((root / "particlegvi").rglob("*.py")):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def written(node: ast.AST) -> str:
    """The text of a constant or a formatted text, "..." where a value stands; "" for another node."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    found = [part.value if isinstance(part, ast.Constant) else "..." for part in parts]
    return "".join(map(str, found)) if isinstance(node, ast.JoinedStr | ast.Constant) else ""


def sentences(root) -> Iterator[str]:
    """Every text in the package's sources and words."""
    yield from map(written, parsed(root))
    for path in (root / "particlegvi" / "tools" / "words").glob("*.toml"):
        yield from map(str, tomllib.loads(path.read_text(encoding="utf-8")).values())


def missing(quoted: list[str], texts: list[str]) -> list[str]:
    everything = "\n".join(LATER.sub("...", text) for text in texts)
    return [each for each in quoted if LATER.sub("...", each) not in everything]


def warned(root) -> list[str]:
    """Every sentence that stands in a call of ``warn``; one that is handed on is not seen."""
    calls = (node for node in parsed(root) if isinstance(node, ast.Call) and ast.unparse(node.func) == "warn")
    return [text for text in (written(call.args[0]) for call in calls) if text]


def indexed(root) -> list[str]:
    """The sentences in the first column of docs/messages.md."""
    text = (root / "docs" / "messages.md").read_text(encoding="utf-8")
    return [plain or quoted for quoted, plain in re.findall(r"^\| (?:`` (.+?) ``|`(.+?)`) \| ", text, re.MULTILINE)]


@pytest.mark.thorough
def test_the_program_has_the_sentences_of_the_faq_and_of_the_index(root):
    text = (root / "docs" / "faq.md").read_text(encoding="utf-8")
    quoted = [line.removeprefix("> ") for line in text.splitlines() if line.startswith("> ")]
    assert len(quoted) > 20 and len(indexed(root)) > 80
    texts = list(sentences(root))
    assert missing(quoted, texts) == []
    assert missing(indexed(root), texts) == []
    assert missing(["metastable: at rest inside the valleys"], texts)


@pytest.mark.thorough
def test_every_warning_is_in_the_index(root):
    found = warned(root)
    assert len(found) > 12
    assert missing([text for text in found if len(text) > 20], indexed(root)) == []


def test_the_objective_falls_at_the_rate_of_the_theorem():
    """Theorem 3.6 with prior N(0, 1), no loss, lambda1 = lambda2 = 1: alpha_0 = 1. It falls at 2.36, not at 3."""
    x = np.linspace(-5.0, 5.0, 161)
    potential = 0.5 * x**2 - np.exp(-(x**2) / 4.0) / np.sqrt(2.0)
    flow = FokkerPlanck(potential, x, 1.0, 1.0, lambda r2: np.exp(-0.5 * r2))
    masses = np.exp(-0.5 * ((x - 1.5) / 0.6) ** 2)
    masses /= masses.sum()
    energies = []
    for _ in range(200):
        energies.append(flow.free_energy(masses))
        masses = flow.step(masses, 0.01)
    for _ in range(60):
        masses = flow.step(masses, 0.5)
    excess = np.array(energies) - flow.free_energy(masses)
    times = 0.01 * np.arange(len(excess))
    assert np.all(excess <= excess[0] * np.exp(-2.0 * np.exp(-2.0) * times) * (1.0 + 1e-12))
    assert excess[-1] > excess[0] * np.exp(-3.0 * times[-1])
    assert np.log(excess[100] / excess[-1]) / (times[-1] - times[100]) == pytest.approx(2.36, abs=0.05)


def best_gaussian_and_sampling(spread: float) -> tuple[float, float]:
    """KL to tau* of the best Gaussian and of tau: one logistic datum, prior N(0, 1), residual variance ``spread``."""
    u = np.linspace(-10.0, 10.0, 2001)
    step = u[1] - u[0]
    nodes, weights = hermegauss(60)
    prior = 0.5 * u**2
    best = np.logaddexp(0.0, -(u[:, None] + np.sqrt(spread) * nodes)) @ (weights / weights.sum()) + prior

    def density(level: np.ndarray) -> np.ndarray:
        return np.exp(-level) / np.sum(np.exp(-level) * step)

    def kl(q: np.ndarray) -> float:
        return float(np.sum(q * (np.log(np.maximum(q, 1e-300)) - np.log(density(best))) * step))

    def gaussian(at: np.ndarray) -> np.ndarray:
        return density(0.5 * ((u - at[0]) / np.exp(at[1])) ** 2)

    settings = {"xatol": 1e-8, "fatol": 1e-13}
    found = optimize.minimize(lambda at: kl(gaussian(at)), np.zeros(2), method="Nelder-Mead", options=settings)
    return float(found.fun), kl(density(np.logaddexp(0.0, -u) + prior))


def test_projected_langevin_sampling_may_be_worse_than_the_best_gaussian():
    assert best_gaussian_and_sampling(1.0) == pytest.approx((3.5e-5, 1.7e-4), rel=0.02)
    assert best_gaussian_and_sampling(0.1) == pytest.approx((7.1e-5, 2.5e-6), rel=0.02)


def test_the_example_of_a_wrong_measure_of_inputs():
    """(D.79) of the thesis prints 1.3e-43."""

    def at(x: float) -> float:
        return float(np.exp(-(x**2) - (0.5 - x) ** 2 - 0.5 * (x - 10.0) ** 2) / np.sqrt(2.0 * np.pi))

    value = integrate.quad(at, -5.0, 10.0, points=[2.2], epsabs=0.0)[0]
    assert value == pytest.approx(np.exp(-38.15) / np.sqrt(5.0), rel=1e-10)
    assert value == pytest.approx(1.2e-17, rel=0.01)


def test_the_loss_of_a_network_is_not_coercive_and_weight_decay_makes_it_so(rng):
    """(C.24) to (C.29): the weights of the last layer grow without bound and those of the first layer are zero."""
    network = pg.networks.Network(2, (5,), activation="tanh")
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    loss = pg.networks.NetworkLoss(network, X, y)
    ways = np.array([1.0, 10.0, 1e3, 1e6])
    theta = np.zeros((len(ways), network.dim))
    theta[:, network.layers[1][0]] = ways[:, None]
    assert np.array_equal(loss.value(theta), np.full(len(ways), loss.value(theta[:1])[0]))
    assert loss.value(theta[:1])[0] == pytest.approx(np.mean(y**2), rel=1e-12)
    decayed = loss.value(theta) - 0.1 * network.prior("unit").log_density(theta)
    assert np.all(np.diff(decayed) > 0.0) and decayed[-1] > 1e11
    theta[:, network.layers[0][1]] = 0.5  # the first layer does not vanish, as with an activation that has s(0) != 0
    assert loss.value(theta)[-1] > 1e10
