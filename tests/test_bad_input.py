"""Every argument of every public function against every kind of bad value: a right result, or one clear sentence.

``CALLS`` has the arguments, found by themselves where a module says what is public, and ``VALUES`` what each of them is
given; the thorough tests try every pair. The diagnostics
and the parts of function space have tables of their own beside their tests.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import plotting
from particlegvi.targets.divergences import best_law
from particlegvi.tools import arguments, objects, quoting

from .bad_values import (
    DLE,
    FEW,
    KERNEL,
    LOSS,
    PRIOR,
    VALUES,
    Calls,
    add,
    all_wrong_answers,
    answered,
    checks,
    table,
    wrong_answers,
)
from .refusals import refuse as refusal

pytestmark = pytest.mark.usefixtures("elsewhere")

PLANE = pg.losses.get("four-gaussians")
DRLE = pg.methods.DRLE(1.0, 0.5, KERNEL)
SMALL = {"particles": 4, "steps": 2, "step_size": 1e-3}

CALLS: Calls = {}

# "progress" comes separately: any callable is allowed.
SIMULATED = "loss method prior particles steps step_size initial seed integrator record_every tolerance"
add(CALLS, "simulate", pg.simulate, SIMULATED, loss=LOSS, method=DLE, prior=PRIOR, **SMALL)
KEYS = "scenario seed overwrite checkpoint_every particles steps methods loss prior initial kernel step_size figures"
add(CALLS, "run", pg.run, f"{KEYS} modes title record_every", scenario="global-minimiser", particles=4, steps=2)
for method in (DLE, DRLE, pg.methods.DE()):
    given = {"loss": LOSS, "method": method, "prior": PRIOR, "initial": PRIOR}
    add(CALLS, f"target of {method.label}", pg.target, "loss method prior initial seed", **given)
for loss in pg.losses.names():
    add(CALLS, loss, lambda loss=loss, **given: pg.losses.get(loss, **given), " ".join(pg.losses.parameters(loss)))
POLYNOMIAL = pg.schedules.Polynomial(0.1)
COMPARED = f"{SIMULATED} methods modes title kl_weight kernel".replace(" method ", " ")
add(CALLS, "compare", pg.compare, COMPARED, loss=LOSS, methods=[DLE], prior=PRIOR, **SMALL)
add(CALLS, "resume", pg.resume, "folder")
for prior in (PRIOR, pg.priors.Uniform(-1.0, 1.0), pg.priors.Flat(1)):
    add(CALLS, f"{prior.name}.log_density", prior.log_density, "x")
    add(CALLS, f"{prior.name}.gradient", prior.gradient, "x")
    add(CALLS, f"{prior.name}.sample", prior.sample, "particles seed role", particles=3)
GIVEN = {
    "lengthscale": 1.0, "kernel": KERNEL, "prior": PRIOR, "inputs": [[0.0]], "initial_particles": np.zeros((3, 1)),
    "low": -1.0, "high": 2.0, "means": [0.0, 1.0], "formula": "exp(-t^2)", "how": "monte-carlo", "samples": 5,
    "Prior low": -np.inf, "Prior high": np.inf,
    "initial": 1.0, "final": 0.1, "over": 10.0, "step_size": POLYNOMIAL, "steps": 5, "times steps": np.arange(3),
    "specification": {"kind": "histograms"}, "X": [[0.5], [1.0], [2.0]], "y": [0, 1, 1],
    "resolve kernel": pg.kernels.SquaredExponential("authors"), "integrator": "mala", "name": "constant",
}  # fmt: skip
add(CALLS, "a prior between ends", pg.Prior, "low high", formula="exp(-t^2)", low=-1.0, high=1.0)
add(CALLS, "best_law", best_law, "loss prior weight divergence", loss=LOSS, prior=PRIOR, weight=1.0,
    divergence="reverse-kl")  # fmt: skip
for module in (pg.kernels, pg.priors, pg.methods, pg.schedules, pg.plotting, pg.scenarios, pg.integrators, pg.losses):
    calls = table(module, GIVEN, "Embedding Loss Method Schedule Step StepCoefficients integrator draw figure plot_run")
    CALLS |= {f"{module.__name__} {name}": call for name, call in calls.items()}
add(CALLS, "schedules.get", pg.schedules.get, "initial", name="constant", initial=0.1)
add(CALLS, "from_formula", pg.Loss.from_formula, "formula variables name", formula="t", variables=["t"])
add(CALLS, "from_term", pg.Loss.from_term, "term dim name", term=LOSS.term)
add(CALLS, "from_numpy", pg.Loss.from_numpy, "value gradient dim name gradient_at",
          value=lambda x: (x**2).sum(axis=1) / 2, gradient=lambda x: x, dim=1)  # fmt: skip
add(CALLS, "from_numba", pg.Loss.from_numba, "value gradient", value=lambda x: x[0] ** 2, gradient=lambda x: x, dim=1)
CALLS["from_numpy value returns"] = lambda value: pg.Loss.from_numpy(lambda x: value, lambda x: x, 1)
CALLS["from_numpy gradient_at returns"] = lambda value: pg.Loss.from_numpy(
    lambda x: x[:, 0] ** 2 / 2, lambda x: x, 1, gradient_at=lambda x, step, seed: value
).gradient_at(np.zeros((5, 1)), 0, 0)
CALLS["from_numpy gradient returns"] = lambda value: pg.Loss.from_numpy(lambda x: x[:, 0] ** 2 / 2, lambda x: value, 1)
add(CALLS, "loss.value", LOSS.value, "x")
add(CALLS, "loss.gradient", LOSS.gradient, "x")
add(CALLS, "loss.value in 2-D", PLANE.value, "x")
add(CALLS, "load", pg.load, "folder")
for option, figures in {"bins": "histograms", "range": "histograms", "methods": "histograms", "time": "trajectories",
                        "window": "particles", "bucket_width": "buckets"}.items():  # fmt: skip
    if option in plotting.options(figures):
        CALLS[f"figure {option}"] = lambda value, o=option, f=figures: plotting.check({"kind": f, o: value})
CALLS["figure kind"] = lambda value: plotting.check({"kind": value})


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> dict[str, Callable[[Any], Any]]:
    """Calls that need a run, a target or results."""
    run = pg.simulate(LOSS, DLE, prior=PRIOR, **SMALL)
    results = pg.run("global-minimiser", particles=4, steps=2)
    density, atoms = pg.target(LOSS, DLE, PRIOR), pg.target(LOSS, pg.methods.DE(), PRIOR, initial=PRIOR)
    calls: dict[str, Callable[[Any], Any]] = {
        "histogram bins": run.histogram,
        "plot target": lambda value: run.plot(target=value),
        "figure results": lambda value: plotting.figure(value, "histograms"),
        "draw results": lambda value: plotting.draw(value, "."),
        "save folder": results.save,
    }
    folder = tmp_path_factory.mktemp("finished") / "run"
    pg.run("global-minimiser", particles=4, steps=2, out=folder)
    for key in ("progress", "checkpoint_every"):
        calls[f"resume {key}"] = lambda value, k=key: pg.resume(folder, **{k: value})

    for target in (density, atoms):
        for name in ("pdf", "log_pdf", "cdf", "quantile", "partial_mean"):
            if hasattr(target, name):
                calls[f"{target.kind} {name}"] = getattr(target, name)
    return calls


test_a_dozen_values_of_an_argument_are_answered, test_every_value_of_every_argument_is_answered = answered(CALLS)


def test_every_value_is_answered_by_every_check():
    """Of numbers, arrays and objects: these checks stand behind all arguments."""
    calls = checks(arguments, objects)
    assert {"whole value", "positive value", "points value", "loss value", "prior value"} <= calls.keys()
    wrong = all_wrong_answers(calls)
    assert not wrong, "\n".join(wrong)


@pytest.mark.thorough
@pytest.mark.parametrize("values", [FEW, pytest.param(VALUES, marks=pytest.mark.thorough)], ids=["few", "all"])
def test_what_is_finished_answers_too(finished, values):
    wrong = [sentence for name, call in finished.items() for sentence in wrong_answers(name, call, values)]
    assert not wrong, "\n".join(wrong)


def test_the_check_itself_can_fail():
    """Negative control: what numpy says of a ragged list, a TypeError and a repr of 5000 lines are all found."""
    found = wrong_answers("numpy", lambda value: np.asarray(value, dtype=np.float64), VALUES)
    assert {"numpy = ragged", "numpy = dict", "numpy = 10**400"} <= {sentence.split(":")[0] for sentence in found}

    def quotes(value: Any) -> None:
        raise ValueError(f"x must be a number, not {value!r}")

    found = wrong_answers("q", quotes, VALUES)
    assert {"q = odd", "q = long text", "q = (2, 2, 2)"} <= {sentence.split(":")[0] for sentence in found}


@pytest.mark.parametrize("name", VALUES)
def test_any_value_can_be_quoted_on_one_short_line(name):
    shown = quoting.shown(VALUES[name])
    assert shown.isprintable() and 1 <= len(shown) <= 80


# What has a defined answer -------------------------------------------------------------------------------------------


def numpy_loss(value=None, gradient=None, dim=1) -> pg.Loss:
    """A loss whose functions are not tried out when it is made."""
    square = lambda x: (x**2).sum(axis=1)
    return pg.Loss(None, dim, "test", functions=(value or square, gradient or (lambda x: 2.0 * x)))


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (numpy_loss(gradient=lambda x: x[:, 0]), "gradient(X) returned float64 of shape (3,) for X of shape (3, 1)"),
        (numpy_loss(gradient=lambda x: 1j * x), "gradient(X) returned complex128"),
        (numpy_loss(value=lambda x: 1.0), "value(X) returned float64 of shape ()"),
        (numpy_loss(value=lambda x: np.log(x[:, 0])), "the loss is nan at particle 1's start [-0.5]"),
        (numpy_loss(value=lambda x: 1.0 / (x[:, 0] - 0.25)), "the loss is inf at particle 2's start [0.25]"),
        (numpy_loss(gradient=lambda x: np.sqrt(x)), "the gradient of the loss is [nan] at particle 1's start [-0.5]"),
        (pg.Loss.from_formula("log(t)", ["t"]), "the loss is nan at particle 1's start [-0.5]"),
    ],
)  # fmt: skip
def test_a_loss_that_fails_at_the_start_is_told_where(loss, words):
    start = np.array([[1.0], [-0.5], [0.25]])
    with np.errstate(all="ignore"):
        assert words in refusal(lambda: pg.simulate(loss, DLE, prior=PRIOR, initial=start, steps=1, step_size=1e-3))
