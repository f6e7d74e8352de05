"""The base class of methods: what a subclass need not say, and what every method of the package keeps."""

import pickle

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.noise import normals
from particlegvi.methods.flow import DriftFlow, ParticleFlow
from particlegvi.tools import objects

from ..flows import advanced, problem
from ..refusals import refuse

EVERY = [
    pg.methods.DE(), pg.methods.DLE(0.5), pg.methods.DRE(0.3), pg.methods.DRLE(0.5, 0.3),
    pg.methods.FreeEnergy(0.1, 0.2), pg.methods.FDGVI(0.5, 7), pg.methods.SVGD(0.5),
    pg.methods.MMDFlow(kl_weight=0.5), pg.methods.MMDFlow([0.0, 1.0]), pg.methods.JKO(0.5, 0.3),
]  # fmt: skip


LOSS = pg.losses.get("double-well")


def test_every_method_of_the_package_is_tested():
    registered = {pg.methods.get(name).__name__ for name in pg.methods.names()}
    missing = registered - {type(method).__name__ for method in EVERY}
    assert not missing, f"add {sorted(missing)} to EVERY"
    assert registered <= {*pg.methods.__all__}, "name it in particlegvi/methods/__init__.py"
    assert registered - {type(method).__name__ for method in EVERY[1:]}  # control: each is needed


class Still(pg.methods.Method):
    """Particles that stay where they are."""

    label = "Still"

    def flow(self, problem):
        return StillFlow(problem.start.copy())


class StillFlow(ParticleFlow):
    def advance(self, first_step, steps):
        pass

    def facts(self):
        return {}


def test_a_method_need_only_say_what_differs():
    method = Still()
    assert objects.method(method) is method
    defaults = (method.objective, method.kl_weight, method.mmd_weight, method.has_noise, method.schedules)
    assert defaults == ("measures", 0.0, 0.0, False, False)
    assert method.follows_loss and method.kernel is None
    method.check_integrator("euler-maruyama")
    own = 'integrator must be "euler-maruyama", which is the default, not "{}": {} has steps of its own'
    for each, name in ((method, "mala"), (pg.methods.FDGVI(1.0), "heun"), (pg.methods.JKO(1.0), "adam")):
        refuse(lambda each=each, name=name: pg.simulate(LOSS, each, initial=[[0.5]], steps=1, integrator=name),
               own.format(name, each.label))  # fmt: skip
    words = 'integrator must be one of adam, euler-maruyama, heun, .*, not "exponential-euler": SVGD has no linear part'
    refuse(
        lambda: pg.simulate(LOSS, pg.methods.SVGD(), initial=[[0.5]], steps=1, integrator="exponential-euler"), words
    )
    run = pg.simulate(LOSS, method, initial=[[0.5], [1.5]], steps=3, step_size=1e-3)
    assert np.array_equal(run.final, [[0.5], [1.5]])


def test_a_method_without_a_flow_says_so():
    class Nothing(pg.methods.Method):
        label = "nothing"

    with pytest.raises(NotImplementedError, match="Nothing has no method flow"):
        pg.simulate(LOSS, Nothing(), initial=[[0.5]], steps=1)
    Nothing.flow = lambda self, problem: None
    with pytest.raises(ValueError, match=r"^the flow of nothing must be a particlegvi.contracts.Flow, not None"):
        pg.simulate(LOSS, Nothing(), initial=[[0.5]], steps=1)


def test_particles_of_a_flow_with_velocities():
    """A state (2, particles, dim) without ``particles`` is refused; with it, the bad particle is the one reported."""

    class Rolling(StillFlow):
        def advance(self, first_step, steps):
            if first_step == 0:
                self.state[:, 2, 0] = np.nan

    class Momentum(pg.methods.Method):
        label = "Momentum"

        def flow(self, problem):
            return Rolling(np.stack([problem.start, np.zeros_like(problem.start)]))

    start = [[0.5], [1.0], [1.5]]
    with pytest.raises(ValueError, match=r"^particles\(\) of the flow of Momentum must be .* \(3, 1\), .* \(2, 3"):
        pg.simulate(LOSS, Momentum(), initial=start, steps=1, step_size=1e-3)
    Rolling.particles = lambda self: self.state[0]
    with pytest.raises(pg.Diverged, match="particle 2 non-finite"):
        pg.simulate(LOSS, Momentum(), initial=start, steps=1, step_size=1e-3)


@pytest.mark.parametrize("drift", [None, "x", [1.0, 1.0], [[1.0]], np.ones((2, 2)), [[1.0], [1j]]], ids=str)
def test_a_drift_of_a_wrong_shape_is_one_sentence(drift):
    flow = DriftFlow(problem(LOSS, pg.priors.Flat(1), [[0.5], [1.5]]), "M", lambda x, step: drift, {})
    refuse(lambda: flow.advance(0, 1), r"^the drift of M must be an array of numbers of the shape \(2, 1\), .* not ")


@pytest.mark.parametrize("method", EVERY, ids=lambda method: type(method).__name__)
def test_every_method_keeps_the_contract_and_can_be_sent_to_another_process(method):
    assert isinstance(method, pg.methods.Method)
    assert objects.method(method) is method
    copy = pickle.loads(pickle.dumps(method))
    assert repr(copy) == repr(method)
    assert copy == method or isinstance(method, pg.methods.MMDFlow)  # whose reference is an array
    kernel, before = pg.kernels.Matern52(0.7), method.kernel
    other = method.with_kernel(kernel)  # which changes the kernel alone
    assert type(other) is type(method) and other.kernel is kernel and method.kernel is before
    assert {**vars(other), "kernel": None} == {**vars(method), "kernel": None}


JUMPING = [
    pg.methods.DLE(0.25, jumps={"every": 5}), pg.methods.MMDFlow(noise=0.3),
    pg.methods.DRLE(0.25, 0.5, pg.kernels.SquaredExponential(0.7), jumps={"every": 7, "share": 0.2}),
]  # fmt: skip
WELL, FALLING = pg.losses.get("tilted-double-well"), pg.schedules.Linear(0.01, 0.002, 24.0)
NOISY = lambda x, step, seed: WELL.gradient(x) + normals(seed, "draws", len(x), 1, step)
BATCHES = pg.Loss.from_numpy(WELL.value, WELL.gradient, 1, gradient_at=NOISY)
ANEW = pg.methods.SVGD(0.3, bandwidth="every-step")
QUIET = (pg.methods.DE(), pg.methods.DRE(0.3), pg.methods.SVGD(0.5), ANEW)
ADAPTIVE = [(method, "adam") for method in QUIET]
OTHERS = [(pg.methods.DLE(0.3), name) for name in ("heun", "leimkuhler-matthews")]
GROUPED = [*((method, "euler-maruyama") for method in EVERY + JUMPING), *ADAPTIVE, *OTHERS]


def called(part):
    return part if isinstance(part, str) else type(part).__name__ + " with jumps" * (part in JUMPING)


@pytest.mark.parametrize("batches", [False, True], ids=["whole", "batches"])
@pytest.mark.parametrize(("method", "integrator"), GROUPED, ids=called)
@pytest.mark.sample("*[!s]-euler-maruyama*-whole", "DE-adam-*")
def test_grouping_of_steps_and_restoring_change_no_bit(method, integrator, batches):
    """Also with a falling step size, and where the gradient is that of the batch of a step."""
    prior, loss = pg.priors.Normal(0.0, 1.0), BATCHES if batches else WELL
    step_size = 0.01 if method in JUMPING else FALLING
    given = problem(loss, prior, prior.sample(12, seed=3), 24, step_size, 3, integrator)
    whole = advanced(method.flow(given), [24])
    for grouping in ([1] * 24, [7, 14, 3]):
        parts_of_it = advanced(method.flow(given), grouping)
        assert np.array_equal(whole.state, parts_of_it.state) and whole.facts() == parts_of_it.facts()
    half, rest = advanced(method.flow(given), [13]), advanced(method.flow(given), [1])
    rest.restore(half.state.copy(), half.extra_state())
    rest.advance(13, 11)
    end = method.flow(given)
    end.restore(rest.state, rest.extra_state())
    for other in (rest, end):
        assert np.array_equal(whole.particles(), other.particles())
        assert whole.facts() == other.facts() and whole.extra_state() == other.extra_state()
    if method in JUMPING[:1]:
        assert all(np.all(np.array(each) > 0) for each in whole.extra_state().values())
