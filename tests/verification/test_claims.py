"""The claims themselves: what each must say of itself, that they hold, and that their controls fail."""

import json
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from particlegvi.cli import main
from particlegvi.verification import claims, figure
from particlegvi.verification.check import check
from particlegvi.verification.claims import drle_bias, gibbs_plane, published_curve
from particlegvi.verification.picture import Picture

NAMES = claims.registry.names()
# Sizes at which a claim takes a second or less; the others are small as they are, or left to the slow test.
SMALLER = {
    "basin-law": {"particles": 2_000},
    "basin-law-asymmetric": {"particles": 2_000},
    "best-features": {"others": 50},
    "certificate-tight": None,
    "density-ratio": None,  # these are in tests/functionspace, too
    "class-probabilities": {"draws": 100_000},
    "discrete-law": {"particles": 10_000},
    "dre-invariant": None,
    "drle-forgets": None,
    "drle-law": None,
    "drle-sampling": None,
    "few-particles": None,
    "fokker-planck-law": {"particles": 2_000},
    "fixed-points-collapse": None,
    "flat-prior": None,  # compiles four methods in the plane
    "drle-bias": None,
    "free-energy-grid": None,
    "free-energy-limit": None,
    "free-energy-plane": None,
    "free-energy-particles": {"runs": 10, "particles": 400},
    "functional-posterior": {"sets": 2},
    "gibbs-line": {"particles": 2_000, "steps": 5_000},
    "gibbs-plane": None,
    "gwi-covariance": {"others": 40},
    "jump-law-walls": None,  # jumps at walls are in tests/engine/jumps, too
    "kl-supremum": None,
    "last-layer-regression": {"particles": 4_000},
    "naive-fisher": None,
    "noise-of-weights": None,
    "prior-parts": {"names": ("mixture",)},
    "pf-formula": None,
    "pf-wasserstein": None,
    "pointwise": None,
    "random-points-optimum": None,
    "relu-kinks": {"draws": 50_000},
    "sharp-constants": {"problems": 20},
    "spectral-score": None,
    "spread-score": {"rows": 100_000},
    "unique-minimiser": None,
}


def test_there_are_at_least_twelve_and_each_says_what_it_is():
    assert len(NAMES) >= 12
    for name in NAMES:
        claim = claims.registry[name]
        for text, longest in ((claim.claim, 90), (claim.source, 80), (claim.wrong, 50)):
            assert 5 < len(text) <= longest, text
            assert not text.endswith(".") and "$" not in text, text
        assert "Wrong:" in claim.__doc__


@pytest.mark.parametrize("name", [name for name in NAMES if SMALLER.get(name, {}) is not None])
@pytest.mark.sample(
    "basin-law",
    "coefficient-law",
    "discrete-law",
    "kinetic-law",
    "*-projection",
    "class-probabilities",
    "exact-process",
    "fourier-bound",
    "functional-coverage",
    "gwi-decouples",
    "independence",
    "network-gradient",
    "objective-gradient",
    "residual-covariance",
)
def test_a_claim_holds_and_its_control_fails(name, tmp_path):
    claim = claims.registry[name]()
    for key, value in SMALLER.get(name, {}).items():
        assert hasattr(claim, key)
        setattr(claim, key, value)
    outcome = check(claim, seed=1)
    assert outcome.error == ""
    assert outcome.verdict == "holds", outcome.right.checks
    assert outcome.control == "failed", outcome.wrong.checks
    if NAMES.index(name) % 4:  # a whole slide is laid out for every fourth, and for all by the slow test
        for experiment in (outcome.right, outcome.wrong):
            claim.draw(Picture(Figure().subplots()), experiment.data)
    else:
        assert figure.save(outcome, tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_an_experiment_repeats_itself():
    one, two = (claims.registry["independence"]().measure(5, wrong=True) for _ in range(2))
    assert one.checks == two.checks
    np.testing.assert_array_equal(one.data["paths"], two.data["paths"])
    other = claims.registry["independence"]().measure(6, wrong=True)
    assert other.checks != one.checks


def test_the_published_curve_is_the_one_the_sources_give():
    """Mass 1.335 and mean -0.9755 from u(-3) = -10, by the authors' code; the right mean is -1.0086."""
    u = published_curve.solve(published_curve.PUBLISHED)
    assert published_curve.mass(u) == pytest.approx(1.335, abs=5e-4)
    q = np.exp(u) / published_curve.mass(u)
    assert np.trapezoid(q * published_curve.GRID, published_curve.GRID) == pytest.approx(-0.9755, abs=5e-4)


def test_the_cells_of_the_plane_have_the_mass_of_the_gibbs_measure():
    """Against polar quadrature: P(|theta| > 2) under exp(-2 loss) N((1, 0), I)."""
    radius = np.linspace(0.0, 4.5, 2001)[1:]
    angle = 2.0 * math.pi * np.arange(200) / 200
    x, y = radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle)
    loss = 0.5 * ((x * x + y * y - 4.0) / 2.0) ** 2
    density = np.exp(-2.0 * loss - 0.5 * ((x - 1.0) ** 2 + y * y)) * radius[:, None]
    right = density[x > 0.0].sum() / density.sum()
    cells = gibbs_plane.probabilities()
    assert cells[len(cells) // 2 :].sum() == pytest.approx(right, abs=2e-3)


@pytest.mark.slow
def test_verify_holds_in_full(tmp_path, capsys):
    assert main(["verify", "--json", "--out", str(tmp_path / "report")]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == NAMES
    assert all(row["verdict"] == "holds" and row["control"] == "failed" for row in rows)
    assert all((tmp_path / "report" / row["figure"]).stat().st_size > 10_000 for row in rows)
    assert sum(row["seconds"] for row in rows) < 300.0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != drle_bias.DrleBias.name])
def test_a_claim_holds_at_other_seeds(name):
    for seed in (11, 2**64 - 1):
        outcome = check(claims.registry[name](), seed)
        assert outcome.good, outcome


def test_the_page_lists_every_claim_as_it_is(root):
    page = (root / "docs" / "verification.md").read_text(encoding="utf-8").replace("\\*", "*")
    for name, claim in claims.registry.parts().items():
        assert f"| `{name}` | {claim.claim} | {claim.source} | {claim.wrong} |" in page
