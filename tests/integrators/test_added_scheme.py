"""The scheme of docs/extending/integrator.md, from a file of a user: its order on a path, its law, and its limit."""

import re

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.diagnostics import stationary_law
from particlegvi.integrators import integrator, integrator_from
from particlegvi.tools import plugins

from .test_strong_order import strong_order


@pytest.fixture
def split_step(root, tmp_path, nothing_from_outside):
    page = (root / "docs" / "extending" / "integrator.md").read_text("utf-8")
    block = re.search(r"```python\n(# particlegvi/integrators/split_step\.py\n.*?)```", page, re.S)[1]
    file = tmp_path / "split_step.py"
    file.write_text(f"{block}\nimport particlegvi as pg\npg.integrators.register(split_step)\n")
    plugins.load_file(str(file))
    assert "split-step" in pg.integrators.names()
    return pg.integrators.get("split-step")


def noise_last(state, now):
    """The control: all of the drift before the noise."""
    middle = state - 0.5 * now.gain * now.drift(state)
    state[...] = middle - 0.5 * now.gain * now.drift(middle) + now.noise_now * now.normals(0)


@pytest.mark.thorough
def test_its_order_along_one_brownian_path_is_the_stated_one(split_step):
    assert abs(strong_order(split_step) - split_step.strong_order) < 0.12
    half = integrator("half-the-noise", step=split_step.step)(lambda h, t, s: split_step(h, 0.25 * t, s))
    assert abs(strong_order(half)) < 0.2  # control: another noise is another path


def test_its_stationary_variance_on_a_quadratic(split_step):
    """The fixed point of v <- u^2 (u^2 v + 2 h T), u = 1 - h a / 2."""
    temperature, a, h = 0.7, 2.0, 0.3
    u = 1.0 - 0.5 * h * a
    expected = 2.0 * h * temperature * u**2 / (1.0 - u**4)

    def variance(made):
        points, weights = stationary_law(lambda x: a * x, h, temperature, integrator_from(made)[0], (-7.0, 7.0))
        return weights @ points**2

    assert variance(split_step) == pytest.approx(expected, rel=1e-9)
    control = integrator("noise-last", step=noise_last)(split_step)
    assert variance(control) == pytest.approx(expected / u**2, rel=1e-9)
    assert abs(variance(control) / expected - 1.0) > 0.1


def test_every_method_takes_it_and_its_limit_is_its_own(split_step):
    prior, loss = pg.priors.Uniform(-1.0, 2.0), pg.losses.get("tilted-double-well")
    for method in (pg.methods.DE(), pg.methods.DRLE(0.5, 0.5), pg.methods.SVGD(0.5)):
        run = pg.simulate(loss, method, prior, 20, 10, 0.05, integrator=split_step)
        assert run.info["integrator"] == "split-step" and np.all((run.final >= -1.0) & (run.final <= 2.0))
    bowl = pg.losses.get("quadratic", curvature=[10.0], centre=[0.0])
    with pytest.warns(UserWarning, match=r"beyond the stability limit of about 0\.4 "):
        pg.simulate(bowl, pg.methods.DE(), initial=[[0.1]], steps=1, step_size=0.41, integrator=split_step)
