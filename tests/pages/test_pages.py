"""Pages as files: what is in them, how large they are, and what is refused."""

import base64
import dataclasses
import hashlib
import json
import re
import zlib

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.pages import building
from particlegvi.pages.content import PRESETS
from particlegvi.pages.replays import page_of_runs
from particlegvi.plotting.films import pace
from particlegvi.tools import words

from ..plain_parts import PlainResults
from ..refusals import refuse, refused
from .conftest import MOVE

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"><!-- &lt; \u2028 {data} ${1}"
FALLING = {"schedule": "linear", "initial": 1e-3, "final": 1e-4, "over": 300}
QUICK = {"particles": 20, "steps": 300, "step_size": 1e-3}


@pytest.fixture(scope="module")
def results():
    return pg.run("global-minimiser", **QUICK)


def data_of(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def assert_closed(text: str) -> None:
    """Nothing in the page asks for anything, and only the package's own script and style are let in."""
    assert not re.search(r"""(src|href)\s*=\s*["']?\s*(http|//)""", text, re.IGNORECASE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    for kind, tag in (("script", "script"), ("style", "style")):
        source = text[text.rindex(f"<{tag}>") + len(tag) + 2 : text.rindex(f"</{tag}>")]
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_a_live_page_is_small_and_closed():
    page = pg.page("global-minimiser")
    assert len(page.html.encode()) < 250_000
    assert_closed(page.html)
    data = data_of(page.html)
    assert data["live"] and data["loss"]["name"] == "tilted-double-well"
    assert data["settings"]["methods"] == "DE,DLE,DRLE" and data["settings"]["kl_weight"] == 1.0
    assert page.html == pg.page("global-minimiser").html


@pytest.mark.thorough
def test_the_replay_of_a_run_holds_its_records(results):
    page = results.page(frames=60)
    assert_closed(page.html)
    assert page.html == pg.page(results, frames=60).html
    replay, first = data_of(page.html)["replay"], results["DE"]
    assert replay["steps"] == first.steps[pace.chosen(first.times, 60)].tolist()  # those of a film
    planes = np.frombuffer(zlib.decompress(base64.b64decode(replay["frames"])), dtype=np.uint8).astype(np.float64)
    codes = (256.0 * planes[: planes.size // 2] + planes[planes.size // 2 :]).reshape(-1, 3, 1, 20)
    low, high = replay["window"][0]
    for k, run in enumerate(results.values()):
        kept = [run.positions[list(run.steps).index(step), :, 0] for step in replay["steps"]]
        shown = low + (high - low) * codes[:, k, 0] / 65534.0
        clipped = np.clip(kept, low, high)
        np.testing.assert_allclose(shown, clipped, atol=(high - low) / 65534.0)
    truth = replay["methods"][1]["truth"]
    grid = np.linspace(*truth["axes"][0])
    ends = np.concatenate([grid[:1], 0.5 * (grid[1:] + grid[:-1]), grid[-1:]])
    cells = np.linspace(ends[:-1], ends[1:], 21)  # the mean density around each node
    means = np.trapezoid(results.targets["DLE"].pdf(cells.ravel()).reshape(cells.shape), dx=0.05, axis=0)
    np.testing.assert_allclose(truth["density"], means, rtol=1e-4, atol=1e-6)


@pytest.mark.thorough
def test_particles_are_thinned_where_they_are_too_many():
    runs = pg.run("global-minimiser", particles=2000, steps=100, record_every=1)
    page = runs.page(frames=100)
    replay = data_of(page.html)["replay"]
    assert len(page.html.encode()) < 500_000 and replay["shown"] < replay["particles"] == 2000
    for method, (label, run) in zip(replay["methods"], runs.items(), strict=True):  # the numbers are those of all
        numbers = method["numbers"]
        for frame, step in enumerate(replay["steps"]):
            x = run.positions[list(run.steps).index(step), :, 0]
            assert numbers["mean"][frame][0] == pytest.approx(x.mean(), rel=1e-5)
            assert numbers["sd"][frame][0] == pytest.approx(x.std(), rel=1e-5)
        exact = pg.diagnostics.wasserstein1(run.initial, runs.targets[label])
        assert numbers["w1"][0] == pytest.approx(exact, rel=1e-3)
        assert numbers["w1"][-1] == pytest.approx(runs.summary["methods"][label]["w1"], rel=1e-5)
        assert method["floor"][:2] == runs.summary["methods"][label]["w1_floor"]
        assert method["verdict"] == runs.summary["methods"][label]["equilibrium"]["verdict"]


@pytest.mark.thorough
def test_a_page_too_large_is_refused_with_what_would_fit(monkeypatch, results):
    monkeypatch.setattr(building, "LARGEST", len(results.page().html) - 10)
    refuse(lambda: results.page(), r"^frames must be at most \d+, so that the page has no more than")


@pytest.mark.parametrize("text", [HOSTILE, "]]>", "\\", "\u2029'\""])
def test_hostile_titles_stay_text(text):
    page = pg.page("global-minimiser", title=text, source=text).html
    assert_closed(page)
    assert data_of(page)["title"] == text
    assert page.count("<script") == 2 and "<img" not in page


@pytest.mark.thorough
def test_a_run_that_a_browser_cannot_compute_is_replayed_and_says_why():
    runs = pg.run("global-minimiser", **QUICK | {"step_size": FALLING})
    data = data_of(runs.page().html)
    assert not data["live"] and "step size" in data["why"] and data["replay"]
    assert data_of(runs.page(live=False).html)["why"] == ""
    refuse(lambda: runs.page(frames=0), "step size")


test_what_cannot_be_a_live_page_is_refused_in_one_sentence = refused(
    lambda what, settings: pg.page(what, **settings),
    ("two-moons", {}, "a page must be of a scenario of particles or of functions, not of another kind"),
    ("global-minimiser", {"integrator": "heun"}, "its integrator is neither"),
    ("global-minimiser", {"step_size": FALLING}, "its step size changes"),
    ("global-minimiser", {"kernel": {"name": "matern-52", "lengthscale": 1.0}}, "its kernel is not"),
    ("no-such-scenario", {}, "no-such-scenario"),
)


@pytest.mark.thorough
def test_a_run_with_fewer_records_stays_where_it_was_and_runs_of_unequal_size_have_no_page(results):
    def mixed(**changes):
        runs = [results["DE"], dataclasses.replace(results["DLE"], **changes)]
        made = PlainResults(runs, results.scenario, results.summary, results.targets)
        made.parts, made.seed = results.parts, 0
        return page_of_runs(made, 20, True, "en")

    run = results["DLE"]
    shorter = mixed(positions=run.positions[:3], steps=run.steps[:3])
    assert len(data_of(shorter.html)["replay"]["times"]) == 20
    said = "equally many particles, and DE has 20, DLE has 7$"
    refuse(lambda: mixed(positions=run.positions[:, :7]), said)


@pytest.mark.thorough
def test_the_command(tmp_path, capsys, elsewhere):
    assert cli.main(["page", "global-minimiser", "--language", "de", "--set", "particles=50", "--seed", "9"]) == 0
    assert capsys.readouterr().out.strip() == "global-minimiser.html"
    data = data_of((tmp_path / "global-minimiser.html").read_text(encoding="utf-8"))
    assert data["settings"]["particles"] == 50 and data["settings"]["seed"] == "9"
    assert data["words"]["play"] == words.of("de")("page.play")
    assert cli.main(["page", "global-minimiser"]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert cli.main(["page", "global-minimiser", "--overwrite", "--out", "global-minimiser.html"]) == 0
    pg.run("global-minimiser", out=tmp_path / "run", **QUICK)
    assert cli.main(["page", "run", "--no-live", "--frames", "10"]) == 0
    data = data_of((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert len(data["replay"]["times"]) == 10 and not data["live"]
    english = [method["verdict"] for method in data["replay"]["methods"]]
    summary = pg.load("run").summary["methods"]
    assert english == [facts["equilibrium"]["verdict"] for facts in summary.values()] and all(english)
    assert cli.main(["page", "run", "--language", "de", "--no-live", "--out", "de.html"]) == 0
    german = data_of((tmp_path / "de.html").read_text(encoding="utf-8"))["replay"]["methods"]
    assert [method["verdict"] for method in german] == [f"das Programm sagt auf Englisch: {each}" for each in english]
    assert cli.main(["page", "run", "--set", "particles=3", "--out", "x.html"]) == 2
    assert not (tmp_path / "x.html").exists()


@pytest.mark.thorough
def test_every_method_is_live_with_weights_and_kernel_of_its_own(engine):
    one, other = pg.kernels.SquaredExponential(0.7), pg.kernels.SquaredExponential(lengthscale=1.5, variance=2.0)
    methods = {
        "cold": pg.methods.DLE(0.1), "DLE": pg.methods.DLE(1.0), "warm, or hot": pg.methods.DLE(4.0),
        "DRE": pg.methods.DRE(2.0, kernel=one), "DRLE": pg.methods.DRLE(1.0, 0.5, kernel=other),
        "DE": pg.methods.DE(), "gone": pg.methods.FDGVI(),
    }  # fmt: skip
    loss, prior = pg.losses.get("tilted-double-well"), pg.priors.Normal(0.0, 1.0)
    runs = pg.compare(loss, methods, prior, particles=9, steps=60, step_size=2e-3, seed=4)
    data = data_of(runs.page(frames=10).html)
    settings = data["settings"]
    assert settings["kl_weight"] == 0.1 and settings["DLE.kl_weight"] == 1.0 and settings["DRLE.mmd_weight"] == 0.5
    assert settings["cold.kl_weight"] == 0.1 and "gone" not in data["methods"] and "gone" in data["watch_live"]
    given = settings | {"own": data["loss"], "types": data["methods"]}
    for x, label in zip(engine(MOVE, settings=given, pieces=[60]), methods, strict=False):
        np.testing.assert_allclose(np.array(x).T, runs[label].final, atol=1e-11, rtol=0.0)


def test_a_method_with_an_integrator_or_a_kernel_that_the_page_has_not_is_named():
    matern = {"name": "matern-52", "lengthscale": 1.0}
    methods = {"DE": {}, "DLE": {"integrator": "baoab"}, "DRE": {"mmd_weight": 1.0, "kernel": matern}}
    data = data_of(pg.page("global-minimiser", methods=methods).html)
    assert data["methods"] == {"DE": "DE", "DRLE": "DRLE"} and "DLE, DRE" in data["watch"]
    data = data_of(pg.page("over-the-barrier").html)
    assert "DLE kinetic" not in data["methods"] and "DLE kinetic" in data["watch"]


def test_every_word_of_the_page_is_there_and_used():
    scripts = building.engine() + "".join(path.read_text("utf-8") for path in (building.ASSETS / "view").glob("*.js"))
    said = set(re.findall(r"""(?:say|button)\(["'](\w+)["']""", scripts))
    said |= {f"formula_{key}" for key in re.findall(r"""Mistake\(["'](\w+)["']""", scripts)}
    verdicts = " ".join(re.findall(r"""said\([^;]*;""", scripts))
    said |= {f"verdict_{key}" for key in re.findall(r'"(\w+)"', verdicts)}
    said |= {f"preset_{key}{more}" for key in PRESETS for more in ("", "_watch")}
    known = set(words.of("en").table("page"))
    assert len(said) > 60 and said <= known, said - known
    python = "".join(path.read_text() for path in building.ASSETS.parent.glob("*.py"))
    families = ("verdict_", "preset_", "formula_", "refused_", "about_", "why_", "functions_")
    unused = {key for key in known if f'"{key}"' not in scripts and key not in python and not key.startswith(families)}
    assert unused == set()
