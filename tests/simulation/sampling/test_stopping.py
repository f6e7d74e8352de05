"""The verdict on made histories: a stationary one has arrived, and each fault is named."""

import numpy as np
import pytest

from particlegvi.simulation.sampling.stopping import effective_draws, judge, observed


def chains(rng, steps=16, particles=200, dim=3, forget=0.6):
    """Stationary autoregressive chains with standard normal draws: positions and energies."""
    x = np.empty((steps, particles, dim))
    x[0] = rng.standard_normal((particles, dim))
    for step in range(1, steps):
        x[step] = forget * x[step - 1] + np.sqrt(1.0 - forget**2) * rng.standard_normal((particles, dim))
    return x


def verdict(x, wanted=0.0):
    return judge(observed(x, x, 0.5 * (x**2).sum(axis=2)), wanted)


def test_a_stationary_history_has_arrived_at_most_seeds(rng):
    arrived = [verdict(chains(rng)).arrived for _ in range(40)]
    assert sum(arrived) >= 37


def test_a_drift_is_named_with_its_coordinate(rng):
    x = chains(rng)
    x[:, :, 1] += np.linspace(0.0, 1.0, 16)[:, None]
    assert (verdict(x).arrived, verdict(x).reason, verdict(x).worst) == (False, "drifts", 1)


def test_a_drift_along_a_ridge_is_seen(rng):
    """Two coordinates with a correlation of nearly 1, whose difference drifts: neither shows it alone."""
    x = chains(rng)
    x[:, :, 1] = x[:, :, 0] + 1e-3 * (x[:, :, 1] + np.linspace(0.0, 1.0, 16)[:, None])
    assert verdict(x).reason == "drifts" and verdict(x).worst in (-1, 3)


def test_a_half_that_stayed_wide_is_seen(rng):
    x = chains(rng)
    x[:, 1::2, 2] *= 1.6
    seen = verdict(x)
    assert "started wide" in seen.reason and seen.worst in (-1, 2, 3)  # the energy shows it as well


def test_particles_that_remember_are_seen(rng):
    assert verdict(chains(rng, forget=0.99)).reason == "has not forgotten where it was"


def test_the_accuracy_is_asked_for(rng):
    x = chains(rng)
    draws = verdict(x).effective_draws
    assert verdict(x, wanted=0.9 * draws).arrived
    assert "too few" in verdict(x, wanted=1.1 * draws).reason


@pytest.mark.parametrize("forget", [0.0, 0.6])
def test_effective_draws_are_those_of_the_autocorrelation(forget, rng):
    """particles * steps / (1 + 2 sum of autocorrelations), exact for a window of this length."""
    steps, particles = 16, 4000
    x = chains(rng, steps, particles, 1, forget)
    lags = np.arange(1, steps)
    time = 1.0 + 2.0 * np.sum((1.0 - lags / steps) * forget**lags)
    assert effective_draws(x) == pytest.approx(particles * steps / time, rel=4.0 * np.sqrt(2.0 / particles))
