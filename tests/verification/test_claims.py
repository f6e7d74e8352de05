"""The claims themselves: what each must say of itself, that they hold, and that their controls fail."""

import json

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.cli import main
from particlegvi.verification import claims
from particlegvi.verification.claim import check
from particlegvi.verification.claims import minimiser, network_passes

NAMES = claims.registry.names()
# Sizes at which a claim takes a second or less, and the claims that are left to the slow test or tested elsewhere, too.
SMALLER = {
    "basin-law": {"particles": 2_000},
    "basin-law-asymmetric": {"particles": 2_000},
    "best-features": {"others": 50},
    "class-probabilities": {"draws": 100_000},
    "discrete-law": {"particles": 10_000},
    "fokker-planck-law": {"particles": 2_000},
    "free-energy-particles": {"runs": 10, "particles": 400},
    "functional-posterior": {"sets": 2},
    "gibbs-line": {"particles": 2_000, "steps": 5_000},
    "gwi-covariance": {"others": 40},
    "last-layer-regression": {"particles": 4_000},
    "prior-parts": {"names": ("mixture",)},
    "relu-kinks": {"draws": 50_000},
    "sharp-constants": {"problems": 20},
    "spread-score": {"rows": 100_000},
}
LEFT = {
    "certificate-tight", "density-ratio", "dre-invariant", "drle-bias", "drle-forgets", "drle-law", "drle-rates",
    "drle-sampling", "few-particles", "fixed-points-collapse", "flat-prior", "free-energy-grid",
    "free-energy-limit", "free-energy-plane", "gibbs-plane", "jump-law-walls", "kl-supremum", "naive-fisher",
    "noise-of-weights", "pf-formula", "pf-wasserstein", "pointwise", "random-points-optimum", "spectral-score",
    "unique-minimiser",
}  # fmt: skip


def test_there_are_at_least_twelve_and_each_says_what_it_is():
    assert len(NAMES) >= 12
    for name in NAMES:
        claim = claims.registry[name]
        for text, longest in ((claim.claim, 90), (claim.source, 80), (claim.wrong, 50)):
            assert 5 < len(text) <= longest, text
            assert not text.endswith(".") and "$" not in text, text


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEFT])
@pytest.mark.sample(
    "basin-law", "coefficient-law", "discrete-law", "kinetic-law", "*-projection", "class-probabilities",
    "exact-process", "fourier-bound", "functional-coverage", "gwi-decouples", "independence", "network-gradient",
    "objective-gradient", "output-kernel", "residual-covariance",
)  # fmt: skip
def test_a_claim_holds_and_its_control_fails(name):
    outcome = check(claims.registry[name], seed=1, **SMALLER.get(name, {}))
    assert outcome.error == ""
    assert outcome.verdict == "holds", outcome.right
    assert outcome.control == "failed", outcome.wrong


@pytest.mark.thorough
def test_a_claim_about_a_weak_repulsion_warns_of_nothing(recwarn):
    """The warning of a run of a user is the very claim; the control is the run without the claim around it."""
    assert check(network_passes.weight_repulsion_cancels).good
    assert not [warning for warning in recwarn if "weights moves a network" in str(warning.message)]
    net = pg.networks.Network(8, (50,))
    loss, method = pg.networks.NetworkLoss(net, np.ones((3, 8)), np.ones(3)), pg.methods.DRE(0.5)
    with pytest.warns(UserWarning, match="501 weights moves a network"):
        pg.simulate(loss, method, prior=net.prior("unit"), particles=3, steps=1, step_size=1e-6)


def test_an_experiment_repeats_itself():
    experiment = claims.registry["independence"]
    assert experiment(5, True) == experiment(5, True) != experiment(6, True)


@pytest.mark.slow
def test_verify_holds_in_full(capsys):
    assert main(["verify", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == NAMES
    assert all(row["verdict"] == "holds" and row["control"] == "failed" for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_claim_holds_at_other_seeds(name):
    for seed in (11, 2**64 - 1):
        outcome = check(claims.registry[name], seed)
        assert outcome.good, outcome


def test_the_page_lists_every_claim_as_it_is(root):
    page = (root / "docs" / "claims.md").read_text(encoding="utf-8").replace("\\*", "*")
    for name, claim in claims.registry.parts().items():
        assert f"| `{name}` | {claim.claim} | {claim.source} | {claim.wrong} |" in page


def test_the_published_curve_is_the_one_the_sources_give():
    """Mass 1.335 and mean -0.9755 from u(-3) = -10, by the authors' code; the right mean is -1.0086."""
    u = minimiser.solve(minimiser.PUBLISHED)
    assert minimiser.mass(u) == pytest.approx(1.335, abs=5e-4)
    q = np.exp(u) / minimiser.mass(u)
    assert np.trapezoid(q * minimiser.NARROW, minimiser.NARROW) == pytest.approx(-0.9755, abs=5e-4)
