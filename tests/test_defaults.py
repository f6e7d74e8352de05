"""A default stands in one place: who changes it sees every reader follow; words that repeat it are compared with it."""

import inspect
import re
from pathlib import Path

import particlegvi as pg
from particlegvi import cli, pages
from particlegvi.simulation.problem import Settings
from particlegvi.simulation.storage import CHECKPOINT_EVERY
from particlegvi.tools.limits import STEP_SIZE, STEPS

METHOD = inspect.unwrap(pg.methods.DRLE.__init__)


def defaults(function):
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


def test_pages_begin_with_the_weights_of_the_package():
    """The browser has numbers of its own for a page that nobody has set."""
    text = (Path(pages.__file__).parent / "assets" / "engine" / "problem.js").read_text()
    shown = dict(re.findall(r"(\w+): ([\d.]+),", text.partition("PG.DEFAULTS")[2]))
    assert {key: float(shown[key]) for key in ("kl_weight", "mmd_weight")} == {"kl_weight": 1.0, "mmd_weight": 0.5}
    assert defaults(METHOD)["kl_weight"] == 1.0 and defaults(METHOD)["mmd_weight"] == 0.5


def test_the_page_for_beginners_has_the_defaults_of_simulate(root):
    said = re.search(
        r"they are ([\d,]+) steps of ([\d.e-]+), whatever the loss", (root / "docs" / "start.md").read_text()
    )
    assert (int(said[1].replace(",", "")), float(said[2])) == (STEPS, STEP_SIZE) == (10_000, 1e-3)


def test_functions_and_commands_have_the_same_defaults():
    of_settings = vars(Settings())
    own = {name: each for name, each in defaults(pg.simulate).items() if name in of_settings}
    assert own == of_settings
    every = [pg.simulate, pg.compare, pg.run, pg.resume]
    assert {defaults(function)["checkpoint_every"] for function in every} == {CHECKPOINT_EVERY}
    functions = {"sample": pg.sample, "run": pg.run, "resume": pg.resume, "verify": None}
    compared = 0
    for name, function in functions.items():
        for (flag, *_), settings in cli.COMMANDS[name][2]:
            said = re.search(r"\(default ([\d.]+)\)", settings["help"])
            if said and function is not None:
                key = flag.removeprefix("--").replace("-", "_")
                assert float(said[1]) == settings["default"] == defaults(function)[key], flag
                compared += 1
    assert compared >= 6
