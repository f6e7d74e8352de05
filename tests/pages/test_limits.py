"""Settings that would keep a page busy for minutes are refused, and sources in JavaScript keep the limits of Python."""

import time
from pathlib import Path
from urllib.parse import quote

import pytest

from particlegvi.pages import building

from .conftest import started

SOURCES = sorted(building.ASSETS.rglob("*.js"))
LONGEST, WIDEST = 300, 120  # lines of a file, columns of a line
TRUTH = """const problem = PG.problem({ ...PG.DEFAULTS, methods: "DLE,DRLE", ...settings }, null);
return problem.methods.map(label => {
  try { return PG.limited(() => PG.truth(PG.method(problem, label))) === null ? "none" : "found"; }
  catch (error) { if (error instanceof PG.TooMuch) return "too much"; throw error; }
});"""
LONG = [  # settings of an address, and the answers for DLE and DRLE
    ({"kl_weight": "1e-30"}, ["none", "none"]),
    ({"loss": "tan(1/t)*1e300"}, ["none", "none"]),
    ({"loss": "1e300*t^2"}, ["none", "none"]),
    ({"variance": "1e12", "mmd_weight": "1e6"}, ["found", "none"]),
    ({"lengthscale": "1e-3", "mmd_weight": "1e6"}, ["found", "too much"]),
    ({"lengthscale": "1e-6", "particles": "10000"}, ["found", "too much"]),
    ({"loss": "four-gaussians", "lengthscale": "1e-6", "variance": "1e12", "mmd_weight": "1e6"}, ["found", "none"]),
    ({}, ["found", "found"]),
    ({"lengthscale": "0.03", "mmd_weight": "20"}, ["found", "found"]),  # nearly the end of the sliders
]


NETTED = "+".join(f"sin({k}*x)*y" for k in range(1, 300)) + "+x^2+y^2"
LONGER = ({"loss": NETTED, "variables": "x,y", "methods": "DE,DLE"}, ["none", "too much"])  # DE: no limit in the plane


@pytest.mark.thorough
@pytest.mark.parametrize(("settings", "answers"), [*LONG, pytest.param(*LONGER, marks=pytest.mark.slow)])
def test_a_truth_that_takes_too_long_is_refused(engine, settings, answers):
    begun = time.process_time()
    assert engine(TRUTH, settings=settings) == answers
    assert time.process_time() - begun < 60.0


def test_actions_inside_another_share_its_limit(engine):
    body = """const said = f => {
      try { return f(); } catch (error) { return error instanceof PG.TooMuch ? "much" : error.key; }
    };
    return [
      said(() => PG.limited(() => { PG.spend(6); PG.limited(() => PG.spend(5), 100); return "all"; }, 10)),
      said(() => PG.limited(() => { PG.limited(() => PG.spend(5), 100); PG.spend(5); return "all"; }, 10)),
      said(() => PG.limited(() => { PG.limited(() => PG.spend(6), 100); PG.spend(5); return "all"; }, 10)),
      said(() => PG.limited(() => PG.spend(NaN), 10)),
      said(() => { PG.spend(1e300); return "all"; }),
    ];"""
    assert engine(body) == ["much", "all", "much", "much", "all"]


def broken(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    wide = [f"{path.name}:{place}" for place, line in enumerate(lines, 1) if len(line) > WIDEST]
    return [*wide, *([f"{path.name} has {len(lines)} lines"] if len(lines) > LONGEST else [])]


def test_javascript_keeps_the_limits_of_python(tmp_path):
    assert len(SOURCES) > 20
    assert [mistake for path in SOURCES for mistake in broken(path)] == []
    bad = tmp_path / "bad.js"  # the control
    bad.write_text("x" * (WIDEST + 1) + "\n" * (LONGEST + 1))
    assert len(broken(bad)) == 2
    assert sorted(path.stem for path in SOURCES) == sorted(
        name for files in (building.ENGINE, building.VIEW) for names in files.values() for name in names
    )


PAIRS = """var VIEW = {}, URLSearchParams = function (text) {
  return new Map(text.split("&").map(pair => pair.split("=").map(decodeURIComponent)));
};"""  # which V8 has in browsers only
ADDRESS = """const types = { A: "DLE" }, base = { ...PG.DEFAULTS, pace: 10 };
const said = text => {
  try {
    const { state } = VIEW.state_of("#" + text, base, types);
    VIEW.most = VIEW.most_particles(state, null);
    PG.problem(VIEW.lowered(state), null, types);
    return "";
  } catch (error) {
    if (error instanceof PG.Refused || error instanceof PG.Mistake) return error.key;
    throw error;
  }
};
return texts.map(said);"""
NUMBERS = ("kl_weight", "mmd_weight", "lengthscale", "variance", "step_size", "particles", "steps", "seed", "pace")
NO_NUMBERS = ("Infinity", "-Infinity", "1e400", "-1e400", "NaN", "0x10", "", "1e21", " ", "1,0", "١")


@pytest.fixture(scope="module")
def engine_with_view():
    context, answer = started(building.engine() + PAIRS + (building.ASSETS / "view" / "address.js").read_text("utf-8"))
    yield answer
    context.close()


@pytest.fixture(scope="module")
def address(engine_with_view):
    return lambda *texts: engine_with_view(ADDRESS, texts=texts)


OTHERS = ("at", "A.kl_weight", "methods", "integrator", "prior", "initial", "loss")


@pytest.mark.parametrize("key", [*NUMBERS, *OTHERS])
def test_no_number_of_an_address_is_taken_for_another(address, key):
    """Each bad value is refused in the name of its key; an empty one is the shared weight, the start or a formula."""
    empty = {"A.kl_weight": "", "initial": "", "loss": "empty"}.get(key, key)
    before = "methods=A&" if key.startswith("A.") else ""
    assert address(f"{before}{key}=", "") == [empty, ""]
    given = [value for value in NO_NUMBERS if value.strip()]
    found = address(*(f"{before}{key}={quote(value)}" for value in given))
    if key == "loss":
        formulas = {"1e21": "", "-1e400": "too_large", "1e400": "too_large"}  # a constant is a loss
        assert all(found[given.index(value)] == said for value, said in formulas.items())
        assert found.count("") == 1
    else:
        assert found == [key] * len(given)


def test_the_ends_of_a_range_are_checked(address):
    ends = ["particles=10000", "pace=1000", "at=1000000000"]
    beyond = ["particles=10001", "pace=1001", "at=1000000001", "loss=four-gaussians&particles=1001"]
    assert address(*ends, *beyond) == ["", "", "", "particles", "pace", "at", "particles"]


def test_the_page_lowers_its_own_number_of_particles_in_the_plane(engine_with_view):
    body = """const shown = state => {
      VIEW.most = VIEW.most_particles(state, own);
      return VIEW.lowered(state).particles;
    };
    return [["t", 20000], ["x,y", 5000], ["x,y", 300], ["t", "1e400"]].map(([variables, particles]) =>
      shown({ loss: "own", variables, particles }));"""
    assert engine_with_view(body, own={"dim": 1}) == [10000, 5000, 300, "1e400"]
    assert engine_with_view(body.replace('"own"', '"1"'), own=None) == [10000, 1000, 300, "1e400"]
