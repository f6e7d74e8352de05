"""Particles that no sample of the target would have: far out, in a gap, or in a well that the quadrature missed."""

from __future__ import annotations

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import misplaced
from particlegvi.scenario.kinds.particles import verdict
from particlegvi.targets import minimisers

LINE = pg.priors.Normal(0.0, 2.0)
CENTRE, WIDTH = -1.8201645613672577, 2e-6


def gaussian(dim):
    variables = ["x", "y"][:dim]
    loss = pg.Loss.from_formula("+".join(f"{v}^2/2" for v in variables), variables)
    return loss, pg.priors.Flat(dim)


def run_at(points, loss, prior, target):
    """A run at rest at these points, and its verdict."""
    records = np.array([np.roll(points, shift, axis=0) for shift in range(11, -1, -1)])  # as independent draws move
    steps = np.arange(12) * 100
    run = pg.Run("DLE", loss, prior, pg.methods.DLE(1.0), records, steps, 0.01, 0)
    distance = {"value": 1e-3, "floor": [1e-2, 2e-2, 3e-2], "particles": len(points)}
    found = {"distances": {"w1" if target.dim == 1 else "sliced_w1": distance}}
    return verdict.equilibrium(run, target, found)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.thorough
def test_exact_draws_are_not_misplaced_and_stray_ones_are(dim):
    loss, prior = gaussian(dim)
    target = pg.target(loss, pg.methods.DLE(1.0), prior)
    draws = target.sample(4000, seed=3)
    assert not misplaced(draws, target).impossible.any() and not misplaced(draws, target).missed.any()
    assert run_at(draws, loss, prior, target)["reached"] is True
    draws[7] = 4.4  # rare, and possible among 4000
    assert not misplaced(draws, target).impossible.any()
    draws[7] = 9.0
    found = misplaced(draws, target)
    assert np.flatnonzero(found.impossible).tolist() == [7]
    said = run_at(draws, loss, prior, target)
    assert said["reached"] is False
    assert said["verdict"].startswith("not at Q*: 1 of 4000 particles are misplaced, for example at (9")
    assert said["verdict"].endswith("Q* has no mass there, and no exact draw would be there")


def test_a_particle_between_two_wells_is_misplaced():
    loss = pg.Loss.from_formula("40*(t^2 - 4)^2", ["t"])
    target = pg.target(loss, pg.methods.DLE(1.0), pg.priors.Normal(0.0, 2.0))
    draws = target.sample(500, seed=1)
    assert not misplaced(draws, target).impossible.any()
    draws[3] = 0.0
    assert misplaced(draws, target).impossible.sum() == 1


def test_particles_in_a_well_that_the_quadrature_missed(monkeypatch):
    well = f"18*exp(-(t - ({CENTRE!r}))^2/(2*({WIDTH!r})^2))"
    loss = pg.Loss.from_formula(f"t^2/2 - {well}", ["t"])
    known = pg.target(loss, pg.methods.DLE(1.0), LINE)
    monkeypatch.setattr(minimisers, "MOST_SEARCHES", 0)
    wrong = pg.target(loss, pg.methods.DLE(1.0), LINE)
    draws = wrong.sample(400, seed=2)
    assert not misplaced(draws, wrong).missed.any()  # as W1 has it: nothing is to be seen
    draws[:5] = CENTRE
    assert misplaced(draws, wrong).missed.sum() == 5
    said = run_at(draws, loss, LINE, wrong)
    assert said["reached"] is False and "5 of 400 particles are misplaced" in said["verdict"]
    assert "the quadrature of Q* missed a well there (its resolution is" in said["verdict"]
    assert not misplaced(known.sample(400, seed=2), known).missed.any()  # control: where it is known


@pytest.mark.parametrize("name", ["tilted-double-well", "abs-sine", "spline"])
def test_the_density_of_the_panels_is_the_density(name):
    loss = pg.losses.get(name)
    target = pg.target(loss, pg.methods.DLE(0.5), pg.priors.Normal(0.0, 2.0))
    x = target.sample(3000, seed=5)
    assert not misplaced(x, target).missed.any() and not misplaced(x, target).impossible.any()
    np.testing.assert_allclose(target.quadrature_pdf(x), target.pdf(x), rtol=1e-5, atol=1e-9)
    assert target.quadrature_pdf(np.array([[-1e9], [1e9]])).tolist() == [0.0, 0.0]


@pytest.mark.thorough
def test_in_the_plane_the_quadrature_has_a_density_too(monkeypatch):
    prior, bowl = pg.priors.Normal([0.0, 0.0], 2.0), "x^2/2 + (y - 0.3*x^2)^2"
    target = pg.target(pg.Loss.from_formula(bowl, ["x", "y"]), pg.methods.DLE(1.0), prior)
    x = target.sample(2000, seed=5)
    assert not misplaced(x, target).missed.any()
    np.testing.assert_allclose(target.quadrature_pdf(x), target.pdf(x), rtol=1e-4, atol=1e-7)
    assert target.quadrature_pdf(np.array([[-1e9, 0.0], [0.0, 1e9]])).tolist() == [0.0, 0.0]
    well = pg.Loss.from_formula(f"{bowl} - 18*exp(-((x + 1.0812)^2 + (y - 0.7031)^2)/(2*0.0002^2))", ["x", "y"])
    monkeypatch.setattr(minimisers, "MOST_SEARCHES", 0)
    wrong = pg.target(well, pg.methods.DLE(1.0), prior)
    draws = wrong.sample(400, seed=2)
    assert not misplaced(draws, wrong).missed.any()
    draws[:5] = -1.0812, 0.7031
    assert misplaced(draws, wrong).missed.sum() == 5
    assert "missed a well there" in run_at(draws, well, prior, wrong)["verdict"]
