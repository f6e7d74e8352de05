"""Films: the formats, the frames, their times, and the last frame, which is the picture that is drawn of the runs."""

from __future__ import annotations

import base64
import io
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageSequence

import particlegvi as pg
from particlegvi import plotting
from particlegvi.plotting import style
from particlegvi.plotting.films import FilmSettings, film, pace, video
from particlegvi.plotting.kind import kinds
from particlegvi.plotting.moving import clock_of, decimals
from particlegvi.tools.film_file import FilmFile

from ...plain_parts import PlainResults
from ...refusals import refuse
from ...runs.interrupting import Stop

pytestmark = pytest.mark.usefixtures("remembered_truth")


def frames_of(path) -> list[np.ndarray]:
    with Image.open(path) as film:
        return [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(film)]


def durations_of(path) -> list[int]:
    with Image.open(path) as film:
        found = []
        for number in range(film.n_frames):
            film.seek(number)
            film.load()  # a webp says how long a frame is shown when it is read
            found.append(round(film.info["duration"]))
        return found


def pixels(figure) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(style.png(figure))).convert("RGB"))


@pytest.mark.parametrize("suffix", ["gif", pytest.param("webp", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_film_has_its_frames_its_length_its_size_and_three_rounds(line, tmp_path, suffix):
    path = line.animate(tmp_path / f"film.{suffix}", frames=12, seconds=5, width=500)
    assert path == tmp_path / f"film.{suffix}"
    with Image.open(path) as film:
        assert (film.n_frames, film.size, film.info["loop"]) == (12, (500, 280), 3)
    shown = durations_of(path)
    assert sum(shown) == 5000 and shown[0] == shown[-1] == 1000
    assert max(shown[1:-1]) - min(shown[1:-1]) <= 10
    before = path.read_bytes()
    line.animate(path, frames=12, seconds=5, width=500, overwrite=True)
    assert path.read_bytes() == before, "the same runs give the same bytes"
    line.animate(path, frames=3, seconds=1, width=200, loop=True, overwrite=True)
    with Image.open(path) as film:
        assert film.info["loop"] == 0
    assert not [each for each in tmp_path.iterdir() if each != path], "nothing else is left"


@pytest.mark.parametrize(
    ("runs", "figure", "suffix"),
    [
        ("line", "histograms", "webp"),
        pytest.param("line", "lifting", "webp", marks=pytest.mark.slow),
        pytest.param("plane", "particles", "webp", marks=pytest.mark.slow),
        pytest.param("fitted", None, "webp", marks=pytest.mark.slow),
        pytest.param("counted", None, "webp", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_the_last_frame_is_the_picture_pixel_for_pixel(request, tmp_path, runs, figure, suffix):
    results = request.getfixturevalue(runs)
    path = results.animate(tmp_path / f"a.{suffix}", figure, frames=4, seconds=1, width=1500)
    options = {"input": 0.5} if runs == "fitted" else {}
    drawn = plotting.figure(results, figure or "functions", **options)
    if not figure:  # a still of fits has no share of the steps
        drawn.clock.set_text(clock_of(results.followed()).at(-1))
    seen, picture = frames_of(path), pixels(drawn)
    assert np.array_equal(seen[-1], picture)
    assert not np.array_equal(seen[-2], picture), "a film that stands still would pass"


def moved(moving, record: int) -> None:
    for show in moving.shows.values():
        show(record)


@pytest.mark.thorough
def test_a_moment_of_a_film_has_the_bars_and_words_of_the_figure_of_that_record(line):
    """`at` draws the figure of a record from nothing, with its own summary; its axes are its own, so data are held."""
    kind, record = kinds["histograms"], 7
    options = {**kind.defaults, "range": (-4.0, 3.0)}
    moving, alone = kind.moving(line, **options), kind(line.at(record), range=(-4.0, 3.0))
    final = kind(line, range=(-4.0, 3.0))
    moved(moving, record)

    def found(figure) -> list:
        panels = figure.axes[:2]
        bars = [patch.get_path().vertices for axes in panels for patch in axes.patches if patch.get_label() != ""]
        words = [text.get_text() for axes in panels for text in axes.texts]
        return [np.concatenate(bars).tolist(), words]

    assert found(moving.figure) == found(alone) != found(final)


@pytest.mark.thorough
def test_a_film_that_cannot_be_made_is_refused_in_one_sentence_and_leaves_nothing(line, tmp_path, monkeypatch):
    def refused(words: str, *arguments, results=line, **settings) -> None:
        before = sorted(tmp_path.iterdir())
        with pytest.raises(ValueError, match=words) as error:
            results.animate(*arguments, **settings)
        assert "\n" not in str(error.value) and sorted(tmp_path.iterdir()) == before

    good = tmp_path / "a.gif"
    refused(r"^out must end in \.gif, \.webp or \.mp4, not be ", tmp_path / "a.avi")
    refused("^out must be a file in a folder that exists", tmp_path / "no" / "a.gif")
    refused("^frames must be a whole number from 2 to 5000, not 1$", good, frames=1)
    refused("^frames must be at most 102 in a film of 4 seconds, not 103$", good, frames=103, seconds=4)
    assert FilmSettings(good, seconds=4).frames == 102 and FilmSettings(good).frames == 120
    refused("^seconds must be a number of seconds from 0.1 to 3600, not 0$", good, seconds=0)
    refused("^the figure of a film must be .*histograms.* or .*, not distance$", good, "distance")
    refused("draws particles of 2 dimension", good, "particles")
    refused("^a film needs runs with at least two records, and DE, DLE has one$", good, results=line.at(0))
    good.write_text("mine")
    refused("a.gif exists already; give another out, or overwrite it$", good)
    assert good.read_text() == "mine"
    monkeypatch.setattr(video.shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    refused(r"needs the program ffmpeg: install it, or say pip install 'particlegvi\[video\]'", tmp_path / "a.mp4")


@pytest.mark.slow
def test_progress_is_told_of_every_frame_and_a_film_that_is_interrupted_leaves_no_file(line, tmp_path):
    heard = []
    line.animate(tmp_path / "a.gif", frames=4, width=200, progress=lambda *told: heard.append(told))
    assert heard == [("film", done, 4) for done in (1, 2, 3, 4)]
    (tmp_path / "a.gif").unlink()
    for name in ("a.gif", "a.webp"):
        with pytest.raises(KeyboardInterrupt):
            line.animate(tmp_path / name, frames=5, width=200, progress=Stop(3))
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_video_has_its_length_and_its_size(line, tmp_path):
    try:
        ffmpeg = video.program()
    except ValueError as missing:
        pytest.skip(str(missing))
    path = line.animate(tmp_path / "a.mp4", frames=5, seconds=2, width=301)
    said = subprocess.run([ffmpeg, "-i", str(path)], capture_output=True, text=True, check=False).stderr
    with Image.open(line.animate(tmp_path / "a.webp", frames=5, seconds=2, width=301)) as still:
        size = [side + side % 2 for side in still.size]
    assert "Duration: 00:00:02.0" in said and f"{size[0]}x{size[1]}" in said and "yuv420p" in said
    decoded = subprocess.run(
        [ffmpeg, "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True,
        check=True,
    )  # fmt: skip
    frames = np.frombuffer(decoded.stdout, np.uint8).reshape(-1, *size[::-1], 3)
    assert len(frames) == 100
    for place, frame in ((0, 0), (-1, -1)):
        there = frames_of(tmp_path / "a.webp")[frame].astype(int)
        assert np.abs(frames[place][: len(there), :301] - there).mean() < 4.0


def test_half_of_the_frames_show_the_first_tenth():
    times = np.linspace(0.0, 50.0, 100_001)
    found = pace.chosen(times, 121)
    assert found[0] == 0 and found[-1] == 100_000
    assert times[found[60]] == pytest.approx(5.0, abs=1e-3)
    assert np.all(np.diff(times[found], n=2) > -1e-3), "it gets faster and faster"
    even = pace.chosen(times, 121, even=True)
    assert np.allclose(times[even], np.linspace(0.0, 50.0, 121), atol=1e-3)


@pytest.mark.parametrize("records", [2, 3, 20, 119, 120, 121, 200, 5000])
@pytest.mark.parametrize("frames", [2, 3, 17, 120])
def test_every_record_is_shown_once_at_most(records, frames, rng):
    for times in (np.arange(records) * 0.5, np.cumsum(rng.exponential(size=records))):
        for even in (False, True):
            found = pace.chosen(times, frames, even)
            assert len(found) == min(records, frames)
            assert found[0] == 0 and found[-1] == records - 1 and np.all(np.diff(found) > 0)


@pytest.mark.parametrize("seconds", [1.0, 3.0, 8.0, 60.0])
def test_the_frames_last_as_long_as_the_film(seconds):
    """With at most fifty frames a second."""
    for frames in (2, 3, 20):
        found = pace.lengths(frames, seconds)
        assert len(found) == frames and sum(found) == pytest.approx(seconds)
        if seconds >= 4.0 and frames > 2:
            assert found[0] == found[-1] == 1.0
    assert min(pace.lengths(302, 8.0)) >= 0.02 - 1e-12
    refuse(lambda: pace.lengths(303, 8.0), "^frames must be at most 302 in a film of 8 seconds, not 303$")


@pytest.mark.slow
def test_the_clock_counts_time_and_tells_moments_apart(line, plane):
    clock = clock_of(line)
    assert np.allclose(clock.times, np.arange(41) * 0.1)
    assert [clock.at(moment, 0.1) for moment in (0, 7, 40, -1)] == ["t = 0.0", "t = 0.7", "t = 4", "t = 4"]
    assert clock.records("DE", np.array([0, 7, 40])).tolist() == [0, 7, 40]
    assert clock_of(plane).at(3, 1.0) == "t = 3", "the optimiser of FD-GVI has another time"
    assert clock_of({"FDGVI": plane["FDGVI"]}).at(-1) == "100% of the steps"
    stills = [plotting.figure(plane, "particles", methods=[label]) for label in ("FDGVI", "DLE")]
    assert [still.clock.get_text() for still in stills] == ["", "t = 20"], "the share of the steps is for films"
    assert [decimals(gap) for gap in (0.1, 0.05, 1.0, 250.0, 1e-4, 0.0)] == [1, 2, 0, 0, 4, 0]
    unequal = clock_of({"DE": line["DE"], "DLE": line["DLE"].at(20)})  # each is shown as far on its way
    assert [unequal.at(moment) for moment in (0, 10, -1)] == [f"{share}% of the steps" for share in (0, 25, 100)]
    assert unequal.at(1, 5e-4) == "2.50% of the steps"
    assert unequal.records("DLE", np.array([0, 10, 40])).tolist() == [0, 5, 20]


@pytest.mark.slow
def test_a_fit_is_followed_to_the_end_that_it_had(fitted):
    followed = fitted.followed()
    assert list(followed) == ["PLS", "GP"] and followed["GP"] is fitted["GP"]
    run = followed["PLS"]
    assert run.steps.tolist() == list(range(21)) and run.positions.shape == (21, *fitted["PLS"].final.shape)
    assert np.array_equal(run.final, fitted["PLS"].final)
    assert followed.followed()["PLS"] is run, "what has records is not fitted again"
    assert clock_of(followed).at(3) == "15% of the steps" and clock_of(fitted).at(-1) == "100% of the steps"
    other = replace(fitted["PLS"], fit=fitted["PLS"].fit._replace(positions=run.at(2).positions[-1:]))
    refuse(lambda: other.followed(), "^PLS was made by another version, and ends elsewhere")


@pytest.mark.thorough
def test_the_start_is_the_prior_and_the_end_is_not(fitted):
    """Under the prior of PLS the coefficients are independent of the data: a mean near 0, unlike that of the fit."""
    run = fitted.followed()["PLS"]
    X = np.linspace(-3.0, 3.0, 40)
    truth = np.sin(2.0 * X)

    def error(then) -> float:
        return float(np.sqrt(np.mean((then.sample(X).mean(axis=0) - truth) ** 2)))

    assert error(run.at(20)) < 0.3 < 0.5 < error(run.at(0))


@pytest.mark.slow
def test_functions_can_be_followed_from_the_first_second(tmp_path):
    """No frame changes by more than three medians; the control, without the frames of the first steps, has a leap."""
    method = {"plain": {"method": "PLS", "moves": "none", "steps": 2000}}
    results = pg.run("poisson-bimodal", particles=20, methods=method)
    steps = results.followed()["plain"].steps
    assert steps[:5].tolist() == [0, 1, 2, 3, 4] and steps[-1] == 2000 and 24 <= len(steps) <= 45
    assert np.all(np.diff(np.log(steps[8:])) < 0.25), "from then on the steps grow by a fifth"
    seen = [each.astype(float) for each in frames_of(results.animate(tmp_path / "a.webp", width=400))]
    assert len(seen) == len(steps)

    def changes(frames) -> np.ndarray:
        return np.array([np.abs(after - before).mean() for before, after in zip(frames[:-1], frames[1:], strict=True)])

    assert changes(seen).max() < 3.0 * np.median(changes(seen))
    assert changes([seen[0], *seen[12:]])[0] > 3.0 * np.median(changes(seen))


@pytest.mark.slow
@pytest.mark.parametrize("moving", [True, False])
def test_a_film_in_which_little_moves_says_so(line, tmp_path, moving, recwarn):
    run = line["DLE"]
    places = run.positions if moving else np.repeat(run.positions[-1:], len(run.positions), axis=0)
    made = PlainResults([replace(run, positions=places)], line.scenario, line.summary, line.targets)
    film(made, {"kind": "histograms"}, FilmSettings(tmp_path / "a.gif", frames=30, width=200))
    said = [str(each.message) for each in recwarn if "differ, because" in str(each.message)]
    assert said == ([] if moving else ["of the 30 frames of the film only 1 differ, because nothing else moves in it"])


@pytest.mark.parametrize(("suffix", "begins"), [(".gif", "<img"), (".mp4", "<video")])
def test_a_film_is_inside_what_a_notebook_shows(suffix, begins, tmp_path):
    path = FilmFile(tmp_path / f"a{suffix}")
    path.write_bytes(b"a film")
    shown = path._repr_html_()
    assert shown.startswith(begins) and base64.b64encode(b"a film").decode() in shown
    assert path == tmp_path / f"a{suffix}" and path.read_bytes() == b"a film"
