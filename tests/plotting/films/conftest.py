"""Small runs to film."""

from __future__ import annotations

import pytest

import particlegvi as pg

from ...small_scenarios import COUNTS


@pytest.fixture(scope="package")
def line() -> pg.results.Comparison:
    """DE and DLE on the tilted double well, with 41 records."""
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    return pg.compare(loss, ["DE", "DLE"], prior, 40, 400, 1e-2, record_every=10, kl_weight=1.0)


@pytest.fixture(scope="package")
def plane() -> pg.results.Comparison:
    """DE, DLE and FD-GVI on four modes, with 21 records."""
    modes = [[-3.0, -3.0], [-3.0, 3.0], [3.0, -3.0], [3.0, 3.0]]
    start = pg.priors.Normal([0.0, 0.0], [1.0, 1.0])
    methods = {"DE": pg.methods.DE(), "DLE": pg.methods.DLE(0.2), "FDGVI": pg.methods.FDGVI(0.5, 20)}
    return pg.compare(
        pg.losses.get("four-gaussians"), methods, None, 30, 200, 0.1, initial=start, record_every=10, modes=modes
    )


@pytest.fixture(scope="package")
def fitted() -> pg.results.Results:
    """Functions fitted to numbers by particles, with their histogram at one input, and in closed form."""
    numbers = {"data": {"formula": "sin(2*x)", "count": 30}, "likelihood": {"name": "gaussian", "noise_variance": 0.1}}
    figures = [{"kind": "functions", "input": 0.5}]
    return pg.run({**COUNTS, **numbers, "methods": {"PLS": {}, "GP": {}}, "figures": figures})
