"""Plausible mistakes, and how each is answered: the whole table of what newcomers typed."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi import cli

from .refusals import refuse, refused

LOSS = pg.losses.get("double-well")
LINE = ["run", "lifting"]
PLANE = ["run", "multimodal"]

COMMANDS = [
    ([*LINE, "--particles", "1000"], "unrecognized arguments: --particles 1000; say --set particles=1000"),
    ([*LINE, "--partcles", "10"], "; say --set particles=10"),
    ([*LINE, "--kl-weight", "0.3"], "; say --set methods.DLE.kl_weight=0.3"),
    (["run", "global-minimiser", "--kl-weight", "0.3"], "DLE.kl_weight=0.3 or --set methods.DRLE.kl_weight=0.3"),
    (["run", "global-minimiser", "--set", "kl_weight=0.3"], "did you mean methods.DLE.kl_weight or methods.DRLE.kl_w"),
    (["run", "global-minimiser", "--set", "lengthscale=0.3"], "did you mean kernel.lengthscale?"),
    (["run", "global-minimiser", "--set", "methods.drle.kl_weight=0.3"], "did you mean methods.DRLE?"),
    ([*PLANE, "--set", 'prior={name="normal", mean=0, sd=1}'], "for example mean = [0, 0]"),
    ([*LINE, "--set", "loss=foo(t)+t"], 'there is no "foo"; variables: t;'),
    (["sweep", "global-minimiser", "--seed", "3"], "unrecognized arguments: --seed 3; say --seeds 3"),
    (["run", "my.toml"], "the smallest file is: loss ="),
]

test_a_call = refused(
    (lambda: pg.simulate(np.sin, pg.methods.DE()), "pg.Loss.from_numpy(value, gradient, dim=1)"),
    (lambda: pg.Loss(np.sin, np.cos), "a Loss is made by pg.Loss.from_numpy"),
    (lambda: pg.Loss.from_formula("t**2"), "Loss.from_formula: missing a required argument: 'variables'; the names of"),
    (lambda: pg.Loss.from_numpy(np.sin, dim=1), "checked against differences"),
    (lambda: pg.Loss.from_numpy(lambda x: x[0] ** 2, np.cos, dim=1), "many points at a time: X[:, 0]**2"),
    (lambda: pg.methods.DLE(kl=1), 'there is no argument of DLE "kl"; did you mean "kl_weight"?'),
    (lambda: pg.methods.DRLE(lengthscale=0.5), "did you mean kernel=pg.kernels.SquaredExponential(lengthscale=0.5)?"),
    (lambda: pg.simulate(LOSS, pg.methods.DE(), n_particles=10), 'did you mean "particles"?'),
    (lambda: pg.priors.Normal(mean=0, std=1), 'did you mean "sd"?'),
    (lambda: pg.simulate(LOSS, pg.methods.DE(), prior=stats.norm(0, 1)), "pg.Prior.from_formula("),
    (lambda: pg.simulate(LOSS, pg.methods.DLE, pg.priors.Normal(0, 1)), "DLE(kl_weight=1.0), not the class DLE"),
    plain=True,
)


@pytest.mark.parametrize(("line", "words"), COMMANDS, ids=[" ".join(line[1:])[:40] for line, _ in COMMANDS])
def test_a_command(line, words, tmp_path, capsys, elsewhere):
    (tmp_path / "my.toml").write_text("particles = 3\nsteps = 4\n")
    assert cli.main([*line, "--no-figure"]) == 2
    told = capsys.readouterr().err
    assert words in told and "Traceback" not in told
    assert [each.name for each in tmp_path.iterdir()] == ["my.toml"]


@pytest.mark.parametrize("method", [pg.methods.DRLE, pg.methods.DRE, pg.methods.SVGD, pg.methods.MMDFlow])
def test_a_kernel_is_given_by_name_as_in_a_scenario(method):
    assert method(kernel="squared-exponential").kernel == pg.kernels.SquaredExponential()
    assert method(kernel={"name": "matern-32", "lengthscale": 0.5}).kernel == pg.kernels.Matern32(lengthscale=0.5)
    refuse(lambda: method(kernel="matern"), 'kernel: there is no kernel "matern"')


def test_an_error_inside_is_left_alone():
    def broken(X):
        raise TypeError("mine")

    refuse(lambda: pg.Loss.from_numpy(broken, broken, dim=1), "mine")
    with pytest.raises(TypeError, match="unhashable"):
        pg.simulate(LOSS, pg.methods.DE(), prior=pg.priors.Normal(), steps=3, progress=lambda *_: {}[[]])
