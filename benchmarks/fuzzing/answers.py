"""Functions that answer an input: the formula parser and the loaders of single files, each made for a folder."""

from __future__ import annotations

import contextlib
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzzing.watching import Watch

Answer = Callable[[bytes, Watch], Any]


def warm_up() -> None:
    """Load what the package loads only when it answers a bad name, or meets a kind of scenario for the first time."""
    from particlegvi import integrators, kernels, losses, methods, plotting, priors, schedules
    from particlegvi.scenario import catalogue, check, load
    from particlegvi.scenario.kinds import build
    from particlegvi.tools.quoting import shown
    from particlegvi.tools.registry import nearest

    nearest("warm", [shown("\0")])
    for parts in (integrators, kernels, losses, methods, plotting, priors, schedules):
        parts.names()
    for name in catalogue.names():
        with contextlib.suppress(ValueError):
            build(load(name))
    build(check({"name": "warm", "loss": "x^2"}))  # all else is estimated


def formulas(folder: Path) -> Answer:
    import numpy as np

    from particlegvi.engine.terms import evaluate
    from particlegvi.losses.formulas.assembler import compile_formula

    points = np.array([[0.3, -1.2], [2.0, 1e300], [0.0, -0.0]])

    def answer(data: bytes, watch: Watch) -> None:
        text = data.decode("utf-8", "surrogateescape")
        with watch():
            term = compile_formula(text, ["t", "x"])
            with np.errstate(all="ignore"):
                assert evaluate.values(term, points).shape == (3,)
                assert evaluate.gradients(term, points).shape == (3, 2)

    answer(b"t + x*sin(t)", Watch(folder))
    return answer


def scenario_files(folder: Path) -> Answer:
    from particlegvi import scenario
    from particlegvi.scenario.kinds import build

    place = folder / "fed.toml"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings = scenario.load(place)
            build(settings)
            assert scenario.load(tomllib.loads(scenario.text(settings))) == settings

    return answer


def settings(folder: Path) -> Answer:
    from particlegvi import scenario
    from particlegvi.cli.options import setting
    from particlegvi.scenario.kinds import build

    def answer(data: bytes, watch: Watch) -> None:
        argument = data.decode("utf-8", "surrogateescape")
        with watch():
            build(scenario.load("multimodal", dict([setting(argument)])))

    return answer


def arrays(folder: Path) -> Answer:
    import numpy as np

    from particlegvi.runs.storage.arrays import read_array

    place = folder / "fed.npy"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch():
            found = read_array(place, np.float64, 3)
        assert found.nbytes <= len(data)

    return answer


def json_files(folder: Path) -> Answer:
    from particlegvi.tools.files import read_json

    place = folder / "fed.json"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch():
            read_json(place)

    return answer
