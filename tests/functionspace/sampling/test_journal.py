"""A fit that was interrupted goes on to the same bytes, as one with other threads; it repeats nothing that it knows."""

import json

import numpy as np
import pytest

from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.sampling import cost
from particlegvi.kernels import SquaredExponential
from particlegvi.simulation import storage

pytestmark = pytest.mark.thorough

KERNEL = SquaredExponential(lengthscale=0.8, variance=4.0)
# likelihood, settings: every plan, with and without what else a run has to remember
CASES = {
    "quadratic": (likelihoods.Gaussian(0.1), {}),
    "quadratic, own step": (likelihoods.Gaussian(0.1), {"step_size": 1e-3, "steps": 90}),
    "Euler-Maruyama": (
        likelihoods.Gaussian(0.1),
        {"integrator": "euler-maruyama", "prior": "gp", "step_size": 1e-5, "steps": 70},
    ),
    "Langevin steps": (likelihoods.Bernoulli(), {"moves": "none", "steps": 60}),
    "frozen signs": (likelihoods.Poisson(), {"moves": "none", "steps": 60, "step_size": 1e-4}),
    "mixing": (likelihoods.Poisson(), {"steps": 60}),
    "mixing without regions": (likelihoods.StudentT(4.0, 0.3), {"steps": 40}),
    "mixing from a given start": (likelihoods.Poisson(), {"steps": 40, "initial": "given"}),
}


class Stop(KeyboardInterrupt):
    """Ctrl-C at a known place."""


class Memory:
    """A storage that gives its snapshots back as files would, and interrupts when asked for the ``calls``-th time."""

    def __init__(self, calls=10**9, due=True):
        self.left = calls
        self.due = due
        self.snapshot = None
        self.count = 0

    def start(self, records, shape):
        return self.snapshot

    def is_due(self):
        self.left -= 1
        if self.left == 0:
            raise Stop
        return self.due

    def save(self, snapshot):
        constants = {name: np.array(each) for name, each in snapshot.constants.items()}
        self.snapshot = snapshot._replace(
            state=snapshot.state.copy(), facts=json.loads(json.dumps(snapshot.facts)), constants=constants
        )


@pytest.fixture(autouse=True)
def one_step_at_a_time(monkeypatch):
    monkeypatch.setattr(storage, "CHUNK_SECONDS", 1e-9)


def data(likelihood):
    rng = np.random.default_rng(2)
    X = rng.uniform(-2.0, 2.0, (80, 1))
    f = 2.0 * np.sin(2.0 * X[:, 0])
    targets = {
        "gaussian": f + 0.3 * rng.normal(size=80),
        "student-t": f + 0.3 * rng.normal(size=80),
        "bernoulli-logistic": (rng.random(80) < 1.0 / (1.0 + np.exp(-f))).astype(float),
        "poisson-square": rng.poisson(f**2).astype(float),
    }
    return X, targets[likelihood.name]


def fit(case, storage=None, progress=None, **settings):
    likelihood, own = CASES[case]
    settings = {"particles": 20, "seed": 5, **own, **settings}
    if settings.get("initial") == "given":
        settings["initial"] = np.random.default_rng(1).normal(size=(20, 9))
    sampler = ProjectedLangevinSampler(KERNEL, likelihood, 9, **settings)
    return sampler.fit(*data(likelihood), progress, storage)


def told(pls):
    return pls.coefficients_.tobytes(), pls.sample(np.linspace(-3.0, 3.0, 7)[:, None]).tobytes(), json.dumps(pls.info_)


@pytest.fixture(scope="module")
def straight():
    return {case: told(fit(case)) for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_interrupted_again_and_again(case, straight):
    """In the setting up, in the annealing, at records and between them."""
    storage, sessions = Memory(), 0
    for calls in (1, 2, 3, 5, 8, 13, 21, 34, 55, *[7] * 1000):
        storage.left = calls
        try:
            found = told(fit(case, storage))
        except Stop:
            sessions += 1
            continue
        break
    assert sessions >= 4
    assert found == straight[case]


@pytest.mark.parametrize("case", CASES)
def test_what_ctrl_c_leaves_is_enough(case, straight):
    """No snapshot was due before: the one of the interruption is all there is."""
    for calls in (9, 18):
        storage = Memory(calls, due=False)
        with pytest.raises(Stop):
            fit(case, storage)
        assert storage.snapshot.step > 0
        assert told(fit(case, storage)) == straight[case]


@pytest.mark.parametrize("case", ["quadratic", "Langevin steps", "mixing"])
def test_any_number_of_threads_gives_the_same_bytes(case, monkeypatch):
    """Four spans of rows and three groups of particles."""
    monkeypatch.setattr(cost, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(cost, "SPAN", 20)
    found = []
    for number in ("1", "2", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", number)
        found.append(told(fit(case, particles=300)))
    assert found[0] == found[1] == found[2] != told(fit(case, particles=300, seed=6))
