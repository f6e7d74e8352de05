"""The page's verdict and the program's, on the same particles and records: one says what the other says."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.pages.content import loss_of
from particlegvi.scenario.kinds.particles.evidence import Evidence
from particlegvi.scenario.kinds.particles.facts import facts
from particlegvi.scenario.kinds.particles.verdict import equilibrium
from particlegvi.simulation.run import Run

# the keys of the page beside how the program begins
SAME = {
    "settled": "converged", "nearly": "nearly converged", "descending": "not yet converged",
    "unlikely": "converged, but", "drifting": "not yet at equilibrium: the ", "metastable": "metastable",
    "shares": "not at Q*: ", "short": "not yet at equilibrium: particles moved",
    "far": "at rest, but not at Q*", "beyond": "at rest, but not at Q*",
    "stuck": "within chance of Q*, but metastable", "few": "within chance of Q*, as ",
    "too_short": "within chance of Q*, but particles moved", "within": "at equilibrium",
    "near": "near Q*, farther than chance allows in 99 of 100 cases: ",
    "rests": "at rest: no particle", "moves": "not yet at rest", "diverged": "diverged", "escaping": "escaping",
    "energy": "at rest, but not at Q*: the mean excess energy", "stein": "at rest, but not at Q*: the kernel Stein",
    "misplaced": "not at Q*: 1 of 300 particles are misplaced",
}  # fmt: skip
BODY = """
const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, own), s = PG.method(problem, label);
const truth = PG.truth(s), rows = x => x.map(row => Float64Array.from(row));
const past = records.map(({ time, x }) => ({ time, x: rows(x) })), x = past[past.length - 1].x;
const has_density = truth && !truth.atoms, w1 = has_density ? PG.distance(x, truth)[0] : NaN;
return PG.verdict({ x, settings: s, truth, w1, floor: has_density ? PG.floor_of(truth, x[0].length)[0] : null,
  records: past });
"""
START = {"DLE, cold for longer": 0.5}  # mean and sd of the prior where it is not N(0, 1)


def said_by_the_page(engine, run: Run) -> str:
    method = run.method
    prior = f"normal:{run.prior.mean[0]}:{run.prior.sd[0]}"
    settings = {"loss": "own", "prior": prior, "particles": run.particles, "methods": method.label}
    settings |= {"variables": ",".join("xy"[: run.loss.dim]), "steps": 1}
    settings |= {"kl_weight": method.kl_weight or 1.0, "mmd_weight": method.mmd_weight or 1.0}
    records = [{"time": float(t), "x": x.T.tolist()} for t, x in zip(run.times, run.positions, strict=True)]
    given = {"settings": settings, "own": loss_of(run.loss), "label": method.label, "records": records}
    return engine(BODY, **given)["key"]


CASES = {  # loss, method, prior, prior in the words of a page, particles, steps, step size
    "banana DE": ("banana", pg.methods.DE(), 2, 60, 3000, 1e-3),
    "banana DE, longer": ("banana", pg.methods.DE(), 2, 30, 60_000, 4e-3),
    "DE": ("tilted-double-well", pg.methods.DE(), 1, 100, 40_000, 1e-3),
    "DE, nearly": ("tilted-double-well", pg.methods.DE(), 1, 100, 2000, 1e-3),
    "DE, on the way": ("tilted-double-well", pg.methods.DE(), 1, 100, 300, 1e-3),
    "DLE": ("tilted-double-well", pg.methods.DLE(1.0), 1, 300, 40_000, 1e-3),
    "DLE, on the way": ("tilted-double-well", pg.methods.DLE(1.0), 1, 300, 800, 1e-3),
    "DLE, cold": ("tilted-double-well", pg.methods.DLE(0.05), 1, 300, 40_000, 1e-3),
    "DLE, crossed": ("tilted-double-well", pg.methods.DLE(0.3), 1, 300, 20_000, 4e-3),
    "DLE, cold for longer": ("double-well", pg.methods.DLE(0.05), 1, 300, 8000, 2e-3),
    "DLE, cold in the plane": ("four-gaussians", pg.methods.DLE(0.05), 2, 40, 20_000, 5e-3),
    "DLE, step too large": ("quadratic", pg.methods.DLE(1.0), 1, 300, 400, 0.8),
    "DLE, exploding": ("quadratic", pg.methods.DLE(1.0), 1, 50, 100, 1.3),
    "DLE, few": ("tilted-double-well", pg.methods.DLE(1.0), 1, 3, 40_000, 1e-3),
    "DRE": ("tilted-double-well", pg.methods.DRE(1.0), 1, 50, 40_000, 1e-3),
    "DRE, on the way": ("tilted-double-well", pg.methods.DRE(1.0), 1, 50, 100, 1e-3),
}  # fmt: skip


@cache
def case(name: str) -> tuple[Run, str]:
    """The run of a case, and the program's verdict on it."""
    loss, method, dim, particles, steps, step_size = CASES[name]
    mean, sd = (START[name], START[name]) if name in START else (0.0, 1.0)
    prior = pg.priors.Normal(mean if dim == 1 else [mean, mean], sd)
    results = pg.compare(
        pg.losses.get(loss), {method.label: method}, prior, particles=particles, steps=steps, step_size=step_size,
        record_every=max(1, steps // 60),
    )  # fmt: skip
    said = results.summary["methods"][method.label]["equilibrium"]["verdict"]
    return results[method.label], said


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:step_size")
@pytest.mark.sample("DE", "DE, *", "DLE", "DLE, few")
@pytest.mark.often("DLE, few", "DLE, e*", "DRE, *")
def test_the_page_says_what_the_program_says(engine, name):
    run, expected = case(name)
    key = said_by_the_page(engine, run)
    assert expected.startswith(SAME[key]), (key, expected)


STEPS = """const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, null), s = PG.method(problem, "DLE");
const ensemble = PG.ensemble(s), records = PG.records(ensemble), truth = PG.truth(s), said = [];
for (let step = 1; step <= 30; step++) {
  ensemble.advance(1);
  records.note();
  const { x } = ensemble, floor = truth ? PG.floor_of(truth, 300)[0] : [0, 0, 0];
  const w1 = truth ? PG.distance(x, truth)[0] : NaN;
  said.push(PG.verdict({ x, settings: s, truth, w1, floor, records: records.all() }).key);
}
return said;"""
TOO_EARLY = {"unknown", "short", "drifting", "unknown_short"}
# two wells with wrong shares; one well far away; a particle beside a pole is thrown far out
HASTY = [("t^4-3*t^2+sin(5*t)", 0.2, "metastable"), ("(t-4)^2", 1.0, "far"), ("1/t", 1.0, "escaping")]


@pytest.mark.thorough
@pytest.mark.parametrize(("loss", "kl_weight", "verdict"), HASTY)
@pytest.mark.often("*escaping")
def test_a_few_steps_are_too_few_to_judge(engine, changed, loss, kl_weight, verdict):
    """The control, without the tests of time, judges at once."""
    settings = {"loss": loss, "kl_weight": kl_weight}
    first, *more = engine(STEPS, settings=settings)
    assert first == "unknown" and set(more) <= TOO_EARLY
    hasty = changed("EARLY = 3", "EARLY = 1", "moved < 2 * SHORT", "moved < 0 * SHORT")
    assert verdict in hasty(STEPS, settings=settings)[:2]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("banana DE", "farthest <= NEARLY * scale", "slope <= 0.3 * first"),
        ("DLE, cold for longer", "wells && wells.apart &&", "wells && false &&"),
        ("DLE, on the way", "if (drifts)", "if (false)"),
        ("DLE, few", "1.5 * floor > sd", "1.5 * floor > 100 * sd"),
        ("DLE", "times > 1.5 ?", "times > 0.1 ?"),
    ],
)
@pytest.mark.often("[!b]*")
def test_another_rule_is_noticed(changed, name, old, new):
    """The control: with a rule of the page changed, its verdict is another one than the program's."""
    run, expected = case(name)
    assert not expected.startswith(SAME[said_by_the_page(changed(old, new), run)])


WELL, LINE, PLANE = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0), pg.priors.Normal([0.0, 0.0], 1.0)
MODES = pg.losses.get("four-gaussians")


def made(name: str) -> tuple[Run, str]:
    """Records that are at rest at a place that one of the diagnostics alone denies, and the program's verdict."""
    if name == "near":
        results = pg.compare(WELL, {"DRLE": pg.methods.DRLE(1.0, 0.5)}, LINE, 40, 400, 1e-3, seed=0)
        return results["DRLE"], results.summary["methods"]["DRLE"]["equilibrium"]["verdict"]
    loss, prior = (MODES, PLANE) if name == "stein" else (WELL, LINE)
    method = pg.methods.DE() if name == "unlikely" else pg.methods.DLE(1.0)
    target = pg.target(loss, method, prior, initial=prior)
    if name == "unlikely":  # two thirds on the right
        x = np.tile(target.atoms[[0, 1, 1]].reshape(1, 3, 1), (3, 100, 1))
        x[0] += 0.3
    else:
        number = {"misplaced": 300, "energy": 3000, "stein": 1000}[name]
        x = target.sample(21 * number, seed=3).reshape(21, number, loss.dim)
    if name == "misplaced":
        x[:, 0] = -3.9
    elif name == "energy":
        x[:, :20] = np.linspace(-4.5, -4.3, 20)[:, None]
    elif name == "stein":  # turned a little
        x = x @ [[np.cos(0.185), -np.sin(0.185)], [np.sin(0.185), np.cos(0.185)]]
    run = Run("made", loss, prior, method, x, np.arange(len(x)), 0.5, 0)
    found: dict = {}
    facts.compute(Evidence(run, target, None, None, run.initial[0], found), found)
    return run, found["equilibrium"]["verdict"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("energy", "4 + 7.1 / root", "400"),
        pytest.param("stein", "stein.value > 1.5", "stein.value > 100", marks=pytest.mark.slow),
        ("misplaced", "where.length ?", "false ?"),
        ("unlikely", "if (unlikely)", "if (false)"),
        ("near", "times > 1 ?", "times > 9 ?"),
    ],
)
def test_the_page_denies_what_the_program_denies(engine, changed, key, old, new):
    """The control is the page without the rule."""
    run, expected = made(key)
    assert said_by_the_page(engine, run) == key and expected.startswith(SAME[key]), expected
    assert said_by_the_page(changed(old, new), run) != key


@pytest.mark.parametrize("method", [pg.methods.DE(), pg.methods.DLE(1.0)])
def test_particles_that_are_finite_but_huge_have_run_away(engine, method):
    """Where a loss is flat at 1e300, its gradient is zero there, as in a minimum."""
    x = np.array([[[0.1], [0.2]], [[1e101], [0.2]]])
    run = Run("made", pg.Loss.from_formula("tan(1/t)", ["t"]), LINE, method, x, np.arange(2), 0.5, 0)
    assert said_by_the_page(engine, run) == "diverged"
    assert equilibrium(Evidence(run, None, None, None, run.initial[0], {}))["verdict"].startswith(SAME["diverged"])


NUMBERS = """const problem = PG.problem({ ...PG.DEFAULTS, loss, kl_weight: 0.7, mmd_weight: 0.9 }, null);
const s = PG.method(problem, label), truth = PG.truth(s), rows = x.map(row => Float64Array.from(row));
const { mean, expected } = PG.excess_energy(rows, truth, s), { value, floor } = PG.stein_discrepancy(rows, truth, s);
return [mean, expected, value, floor];"""


@pytest.mark.parametrize(
    ("loss", "label"), [(WELL, "DLE"), (WELL, "DRLE"), pytest.param(MODES, "DRLE", marks=pytest.mark.slow)]
)
def test_excess_energy_and_stein_discrepancy_are_those_of_the_package(engine, rng, loss, label):
    prior = LINE if loss.dim == 1 else PLANE
    kernel = pg.kernels.SquaredExponential(lengthscale=1.0)
    method = pg.methods.DLE(0.7) if label == "DLE" else pg.methods.DRLE(0.7, 0.9, kernel=kernel)
    target, x = pg.target(loss, method, prior), rng.normal(scale=1.1, size=(200, loss.dim))
    excess = pg.diagnostics.excess_energy(x, target, 0.7)
    score = pg.diagnostics.target_score(target, loss, method, prior)
    stein = pg.diagnostics.distances(x, target, kernel, score)["ksd"]
    *exact, floor = engine(NUMBERS, loss=loss.name, label=label, x=x.T.tolist())
    np.testing.assert_allclose(exact, [excess.mean, excess.expected, stein.value], rtol=5e-3)
    assert floor == pytest.approx(stein.floor[2], rel=0.2)  # each is simulated


def test_limits_of_chance_are_those_of_scipy(engine):
    counts = [(1, 0.5), (8, 0.125), (300, 0.0), (300, 1.0), (300, 0.87), (10_000, 1e-4), (10_000, 0.3)]
    found = engine("return counts.map(([n, p]) => PG.binomial_limits(n, p, 0.999));", counts=counts)
    assert [tuple(each) for each in found] == [pg.diagnostics.binomial_limits(n, p, 0.999) for n, p in counts]
    points = [(0.3, 1.0), (4.6, 299.0), (-3.0, 7.0), (6.0, 9999.0)]
    tails = engine("return points.map(([t, degrees]) => PG.student_tails(t, degrees));", points=points)
    np.testing.assert_allclose(tails, [2.0 * stats.t.sf(abs(t), degrees) for t, degrees in points], rtol=1e-10)


@pytest.mark.parametrize("dim", [1, 2])
def test_wells_are_the_basins_of_the_package(engine, dim, rng):
    loss = ("tilted-double-well", "four-gaussians")[dim - 1]
    prior = pg.priors.Normal(0.0, 1.0) if dim == 1 else pg.priors.Normal([0.0, 0.0], 1.0)
    target = pg.target(pg.losses.get(loss), pg.methods.DLE(0.3), prior)
    basins = pg.diagnostics.Basins(target)
    x = rng.normal(scale=1.5, size=(200, dim))
    body = """const problem = PG.problem({ ...PG.DEFAULTS, loss, kl_weight: 0.3 }, null);
    const wells = PG.wells(PG.truth(PG.method(problem, "DLE")));
    return [wells.modes, wells.masses, wells.of(x.map(row => Float64Array.from(row)))];"""
    modes, masses, of = engine(body, loss=loss, x=x.T.tolist())
    nearest = [int(np.argmin(np.linalg.norm(basins.modes - mode, axis=1))) for mode in modes]
    assert sorted(nearest) == list(range(len(basins.modes)))  # one for each
    np.testing.assert_allclose(masses, basins.masses[nearest], atol=2e-3)
    assert np.mean(np.array(nearest)[of] == basins.of(x)) >= (1.0 if dim == 1 else 0.97)  # the package asks a draw


@pytest.mark.parametrize("method", ["DE", "DLE"])
def test_modes_with_particles_are_counted(engine, method):
    body = """const problem = PG.problem({ ...PG.DEFAULTS, ...settings }, null);
    const truth = PG.truth(PG.method(problem, label));
    return places.map(row => PG.in_modes([Float64Array.from(row)], truth));"""
    settings = {"loss": "t^4/4 - t^2/2", "prior": "uniform:-2:2", "kl_weight": 0.1, "methods": method}
    places = [[-1.0, -0.9, -1.2], [-1.0, 1.1, 0.8]]
    counts = [[3, 0], [1, 2]]
    assert engine(body, settings=settings, label=method, places=places) == counts
    assert engine(body, settings=settings | {"loss": "t^2"}, label=method, places=places) == [None, None]
    if method == "DE":  # -0.6 is nearer to the minimum at -2, and in its basin; -0.3 is nearer to that at 1
        tilted = settings | {"loss": "tilted-double-well", "prior": "normal:0:1"}
        assert engine(body, settings=tilted, label=method, places=[[-0.6, -0.3, 0.3]]) == [[2, 1]]
    if method == "DLE":  # hills at the ends of the box, which repulsion makes, are no modes
        ends = settings | {"loss": "t^4/4 - t^2/2 - exp(30*t - 60) - exp(-30*t - 60)"}
        assert engine(body, settings=ends, label=method, places=places) == counts
