"""Films of functions: the fit is made again with records on the way, and ends where it did."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageSequence

from particlegvi import plotting
from particlegvi.plotting import style
from particlegvi.plotting.camera import Camera
from particlegvi.plotting.kind import kinds
from particlegvi.plotting.moving import clock_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fitted", "counted"])
def test_the_last_frame_is_the_picture(request, tmp_path, name):
    results = request.getfixturevalue(name)
    path = results.animate(tmp_path / "a.webp", frames=5, seconds=1, width=1500)
    with Image.open(path) as film:
        seen = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(film)]
    options = {"input": 0.5} if name == "fitted" else {}
    drawn = io.BytesIO(style.png(plotting.figure(results, "functions", **options)))
    picture = np.asarray(Image.open(drawn).convert("RGB"))
    assert len(seen) == 5 and np.array_equal(seen[-1], picture)
    assert not np.array_equal(seen[-2], picture)


def test_a_fit_is_followed_to_the_end_that_it_had(fitted):
    followed = fitted.followed()
    assert list(followed) == ["PLS", "GP"] and followed["GP"] is fitted["GP"]
    run = followed["PLS"]
    assert run.steps.tolist() == list(range(21)) and run.positions.shape == (21, *fitted["PLS"].final.shape)
    assert np.array_equal(run.final, fitted["PLS"].final)
    assert followed.followed()["PLS"] is run, "what has records is not fitted again"
    assert clock_of(followed).at(3) == "step 3" and clock_of(fitted).at(-1) == "step 20"
    other = replace(fitted["PLS"], fit=fitted["PLS"].fit._replace(positions=run.at(2).positions[-1:]))
    with pytest.raises(ValueError, match="^PLS was made by another version, and ends elsewhere"):
        other.followed()


def test_the_start_is_the_prior_and_the_end_is_not(fitted):
    """Under the prior of PLS the coefficients are independent of the data: a mean near 0, unlike that of the fit."""
    run = fitted.followed()["PLS"]
    X = np.linspace(-3.0, 3.0, 40)
    truth = np.sin(2.0 * X)

    def error(then) -> float:
        return float(np.sqrt(np.mean((then.sample(X).mean(axis=0) - truth) ** 2)))

    assert error(run.at(20)) < 0.3 < 0.5 < error(run.at(0))


@pytest.mark.parametrize("name", ["fitted", "counted"])
@pytest.mark.thorough
def test_a_camera_sees_what_drawing_everything_gives(request, name):
    results, kind = request.getfixturevalue(name).followed(), kinds["functions"]
    moving = kind.moving(results, **{**kind.defaults, "input": 0.5})
    camera = Camera(moving, 600)
    for record in (0, 3):
        for show in moving.shows.values():
            show(record)
        seen = camera.picture()
        with style.slide_style():
            moving.figure.canvas.draw()
        assert np.array_equal(seen, np.asarray(moving.figure.canvas.buffer_rgba())[..., :3])


@pytest.mark.thorough
def test_runs_of_different_lengths_are_counted_in_shares(counted):
    clock = clock_of(counted.followed())
    assert clock.at(-1) == "100% of the steps" and clock.at(0) == "0% of the steps"
