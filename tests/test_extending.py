"""The files shown in docs/extending/ are put into a copy of the package, and do there what the pages say.

They lie in folders that are digested, so everything that they use is compiled again: the tests of that are thorough.
"""

import json
import math
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from .interpreters import python

# Held against differences (slopes), known moments (draws) and the fixed point of v <- (1 - gain)^2 v + noise^2, the
# variance of the linear drift x (integrator). Nothing is simulated.
PARTS = """
import json
import numpy as np
import particlegvi as pg
from particlegvi.engine.terms import evaluate

said = {}
x, h = np.linspace(-1.5, 1.5, 8)[:, None], 1e-5
terms = {"loss": pg.losses.get("quartic", steepness=2.0).term, "prior": pg.priors.get("logistic").term()}
for name, thing in terms.items():
    slope = (evaluate.values(thing, x + h) - evaluate.values(thing, x - h)) / (2 * h)
    said[name] = float(np.abs(evaluate.gradients(thing, x)[:, 0] - slope).max())
kernel, r2 = pg.kernels.get("cauchy", lengthscale=0.5), np.linspace(0.1, 4.0, 9)
slope = (evaluate.profile_values(kernel, r2 + h) - evaluate.profile_values(kernel, r2 - h)) / (2 * h)
said["kernel"] = float(np.abs(evaluate.profile_slopes(kernel, r2) - slope).max())

from particlegvi.functionspace import covariances

k, weights = covariances.of(kernel), np.outer(x, 1.0 + x)
above, below = (k.with_log_parameters(k.log_parameters() + step * np.array([1.0, 0.0])) for step in (h, -h))
slope = np.sum(weights * (above(x) - below(x))) / (2 * h)
said["covariance"] = float(abs(k.gradients(x, x, weights)[1][0] - slope))

from particlegvi.functionspace import likelihoods

times, f, y = likelihoods.get("exponential", unit=2.0), x[:, 0], np.arange(1.0, 9.0)
said["likelihood"] = float(np.abs(times.slope(f, y) - (times.cost(f + h, y) - times.cost(f - h, y)) / (2 * h)).max())

draws = pg.priors.get("logistic", scale=2.0).sample(40_000, seed=3)
said["draws"] = [float(draws.mean()), float(draws.var())]

for name in ("matched-variance", "euler-maruyama"):
    stepping = pg.integrators.get(name)(0.5, 1.0, np.ones(1))
    said[name] = float(stepping.noise_now[0] ** 2 / (1.0 - (1.0 - stepping.gain[0]) ** 2))
said["stairs"] = pg.schedules.get("stairs", initial=0.8, every=3).at(np.arange(7)).tolist()
print(json.dumps(said))
"""
KIND = """
import json
import particlegvi as pg
from particlegvi.cli import main

def refused(form):
    try:
        form()
    except ValueError as error:
        return [str(error)]

results = pg.run("averaged", seed=2, out="averaged")
again = pg.load("averaged")
print(json.dumps({
    "average": results.summary["methods"]["draws"],
    "again": again.summary["methods"]["draws"],
    "same": again["draws"].values.tobytes() == results["draws"].values.tobytes(),
    "rows": [sorted(row) for row in again.table()],
    "described": again.describe(),
    "columns": list(again.to_dataframe()),
    "incomplete": refused(lambda: pg.run({"kind": "prior-average", "name": "made", "prior": "normal"})),
    "refused": refused(again.to_xarray) + refused(lambda: again.at(0)),
    "code": main(["resume", "averaged", "--quiet"]),
}))
"""
CLAIM = """
from particlegvi.cli import main

assert main(["verify", "contraction", "--json"]) == 0
"""


# The page's model on made data. SciPy finds the neighbours in another way.
TABLE = """
import json
import numpy as np
from scipy.spatial import cKDTree
from particlegvi.scenario.tables import TableSettings
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.problem import Part, Problem

X = np.random.default_rng(3).normal(size=(100, 2))
train, validation, test = (Part(X[rows], X[rows, 0]) for rows in (slice(80), slice(80, 90), slice(90, 100)))
task = Problem(row="yacht", protocol="standardised", split=0, train=train, validation=validation, test=test)
predicted = models.get("neighbours")(task, TableSettings.of({"models": ["neighbours", "linear"]}))
means = train.y[cKDTree(train.X).query(test.X, 10)[1]].mean(axis=1)
print(json.dumps(float(np.abs(predicted.mean - means).max())))
"""


def examples(root: Path) -> dict[str, str]:
    """Path and content of every file that the pages show: blocks whose first line is a comment with a path."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted((root / "docs" / "extending").glob("*.md")))
    return dict(re.findall(r"```\w+\n# (\S+/\S+)\n(.*?)```", text, flags=re.DOTALL))


@pytest.fixture(scope="module")
def ask(root, tmp_path_factory):
    """Runs a program beside a copy of the package with the pages' files in it, and reads the JSON that it prints."""
    folder = tmp_path_factory.mktemp("extending")
    for name in ("particlegvi", "scenarios"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, content in examples(root).items():
        assert not (folder / name).exists()
        (folder / name).write_text(content, encoding="utf-8")
    environment = {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return lambda program: json.loads(python("-c", program, cwd=folder, **environment).stdout)


def test_the_pages_show_a_file_of_every_kind(root):
    parts = ("losses", "kernels", "priors", "integrators", "integrators/schedules", "methods", "plotting")
    functions = ("particlegvi/functionspace/covariances", "particlegvi/functionspace/likelihoods")
    above = "particlegvi/scenario"
    kinds = (f"{above}/kinds", f"{above}/kinds/particles/facts", f"{above}/tables/functions/models")
    others = ("particlegvi/verification/claims", *functions, *kinds, "scenarios")
    shown = {Path(name).parent.as_posix() for name in examples(root)}
    assert shown == {*(f"particlegvi/{part}" for part in parts), *others}


@pytest.mark.thorough
def test_the_parts_do_what_their_pages_say(ask):
    said = ask(PARTS)
    for part in ("loss", "prior", "kernel", "covariance", "likelihood"):
        assert said[part] < 1e-8, part  # the difference of two slopes
    # draws: variance (pi scale)^2 / 3 with scale 2, kurtosis 4.2: sd of the sample variance exact sqrt(3.2 / n)
    (mean, variance), exact = said["draws"], 4.0 * math.pi**2 / 3.0
    assert abs(mean) < 4 * (exact / 40_000) ** 0.5
    assert abs(variance - exact) < 4 * exact * (3.2 / 40_000) ** 0.5
    assert said["matched-variance"] == pytest.approx(1.0, rel=1e-14)
    assert said["euler-maruyama"] == pytest.approx(1.0 / (1.0 - 0.5 / 2.0), rel=1e-14)  # what it promises to mend
    assert said["stairs"] == [0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2]


@pytest.mark.slow
def test_the_claim_is_verified(ask):
    (row,) = ask(CLAIM)
    assert (row["name"], row["verdict"], row["control"]) == ("contraction", "holds", "failed")


@pytest.mark.thorough
def test_the_model_of_a_table_is_the_mean_of_neighbours(ask):
    assert ask(TABLE) < 1e-12


@pytest.mark.thorough
@pytest.mark.needs("pandas")
def test_the_kind_runs_is_saved_and_loaded(ask):
    found = ask(KIND)
    average = found["average"]
    # E[x^2 / 2] = 1/2 and its variance is 1/2, under N(0, 1)
    assert abs(average["average"] - 0.5) < 4.0 * (0.5 / 4000) ** 0.5
    assert average["standard_error"] == pytest.approx((0.5 / 4000) ** 0.5, rel=0.2)
    assert found["again"] == average and found["same"] and found["code"] == 0
    assert found["rows"] == [["average", "method", "standard_error"]]
    assert found["columns"] == ["method", "draw", "loss"]
    assert found["refused"] == ["draws has no form for xarray", "draws has no earlier records to be seen at"]
    assert found["described"].startswith("averaged: A quadratic")
    assert found["incomplete"] == ['scenario: the key "loss" is missing: the loss: a name with parameters']


def test_the_examples_keep_the_rules_of_the_house(root):
    """The files of the page keep the rules of every file of the package."""
    from . import test_layers, test_rules

    for name, source in examples(root).items():
        if name.endswith(".py"):
            module = name.removesuffix(".py").replace("/", ".")
            assert test_rules.faults(source, module) == []
            assert test_layers.violations(source, module) == []
            assert test_rules.counted(source)[0] <= 2, f"{name} says Any"
        if name.endswith(".toml"):
            found = tomllib.loads(source)
            assert found["title"] and found["source"] and len(found["description"]) > 100
