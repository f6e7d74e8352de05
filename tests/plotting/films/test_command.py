"""``particlegvi animate`` and ``pg.animate``: of a folder, a name, a file; what is refused before anything is run."""

import re
import shlex

import pytest
from PIL import Image

from particlegvi import scenario
from particlegvi.cli import parser
from particlegvi.cli.making import SEEDS
from particlegvi.cli.options import setting
from particlegvi.plotting import films
from particlegvi.runs import animate as animating
from particlegvi.scenario import catalogue

from ...test_cli import SHORT, called

pytestmark = pytest.mark.usefixtures("elsewhere", "remembered_truth")

SMALL = ["--frames", "2", "--seconds", "1", "--width", "200"]


@pytest.mark.slow
def test_a_name_and_a_file_are_run_with_records_enough_and_not_saved(capsys, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(animating, "execute", lambda *given, **more: seen.append(given) or execute(*given, **more))
    named = ["animate", "global-minimiser", *SMALL, *SHORT, "--seed", 3, "--methods", "DLE", "DE"]
    code, out, err = called(capsys, *named)
    assert (code, out, err) == (0, "global-minimiser-histograms.gif\n", "")
    assert (seen[0][0].scenario["record_every"], seen[0][0].seed) == (1, 3)
    (tmp_path / "mine.toml").write_text('based_on = "lifting"\nsteps = 20\nparticles = 8\nrecord_every = 10\n')
    code, out, err = called(capsys, "animate", "mine.toml", "--out", "a.webp", "--width", 200, "--figure", "histograms")
    assert (code, out) == (0, "a.webp\n") and "the film has 3 frames instead of 120" in err
    with Image.open("a.webp") as film:
        assert film.n_frames == 3
    assert {path.name for path in tmp_path.iterdir()} == {"mine.toml", "a.webp", "global-minimiser-histograms.gif"}


execute = animating.execute


@pytest.mark.parametrize(("overrides", "every"), [({}, 13), ({"record_every": 400}, 400)])
def test_networks_are_recorded_often_enough_although_their_scenario_keeps_few(monkeypatch, overrides, every):
    def stop(results, reporter):
        raise RuntimeError(results.scenario["record_every"])

    monkeypatch.setattr(animating, "execute", stop)
    with pytest.raises(RuntimeError, match=f"^{every}$"):
        animating.animate("regression-gap", overrides=overrides)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["global-minimser"], "did you mean"),
        (["global-minimiser", "--out", "a.avi"], "out must end in"),
        (["global-minimiser", "--figure", "trajectories"], "the figure of a film must be"),
        (["global-minimiser", "--set", "stepss=3"], "stepss"),
        (["uci-function-space"], "a scenario of the kind table has none"),
        (["."], "is not the folder of a run"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_run(capsys, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.setattr(animating, "execute", lambda *_, **__: pytest.fail("it was run"))
    code, out, err = called(capsys, "animate", *arguments)
    assert (code, out) == (2, "") and sentence in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_run_that_is_done_takes_no_seed_and_no_settings(capsys):
    assert called(capsys, "run", "lifting", "--out", "a", "--no-figure", "--quiet", *SHORT)[0] == 0
    for more in (["--seed", 1], ["--set", "particles=3"]):
        code, _, err = called(capsys, "animate", "a", *more)
        assert code == 2 and "seed and settings must be left out for a, which is a finished run" in err


def test_the_films_of_the_docs_can_be_made(root):
    """Every command of a film is one, of a scenario that can be filmed, and each lecture has one."""
    lectures = {path: path.read_text("utf-8") for path in sorted((root / "docs" / "course").glob("*.md"))}
    pages = {**lectures, **{path: path.read_text("utf-8") for path in (root / "README.md", root / "docs" / "films.md")}}
    seeds = {}
    for path, text in pages.items():
        commands = re.findall(r"(?<!`)particlegvi (animate [^`#\n]+)", text.replace("`", "\n"))
        assert commands or path.name == "index.md", path
        for command in commands:
            options = parser().parse_args(shlex.split(command))
            if options.source in catalogue.ours():
                content = scenario.load(options.source, dict(map(setting, options.set)))
                methods = {} if options.methods is None else {"methods": options.methods}
                assert films.figure_for(content, options.figure, methods), command
                seeds[path.name, options.source] = options.seed
    assert len(lectures) == 8
    assert seeds["films.md", "multimodal"] == SEEDS["multimodal"]  # the film is that of the gallery
