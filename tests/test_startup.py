"""Modules that a start must not load: seconds of imports that the command at hand has no use for.

Each case runs in a process of its own and asks ``sys.modules`` afterwards, so that it says the same on any machine.
"""

import json

import pytest

from .interpreters import python

HEAVY = {"numpy", "numba", "matplotlib", "scipy"}

# Runs one statement as a program would, whether or not it ends in SystemExit, and names what was loaded on stderr.
PROBE = """
import sys
try:
    {statement}
except SystemExit as stop:
    assert stop.code in (None, 0), stop.code
import json
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded_by(statement: str, cwd) -> set[str]:
    """The modules in ``sys.modules`` after a new interpreter has run ``statement``."""
    done = python("-c", PROBE.format(statement=statement), cwd=cwd)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("statement", ["import particlegvi", "import particlegvi, particlegvi.simulation.loop"])
def test_import_leaves_figures_and_statistics_alone(statement, tmp_path):
    loaded = loaded_by(statement, tmp_path)
    assert "particlegvi" in loaded
    assert not loaded & {"matplotlib", "scipy.stats", "scipy.integrate", "scipy.optimize", "scipy.interpolate"}


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["list", "--json"], ["run", "--help"]])
def test_asking_for_help_or_the_list_loads_nothing_heavy(arguments, tmp_path):
    loaded = loaded_by(f"from particlegvi.cli import main; sys.exit(main({arguments!r}))", tmp_path)
    assert "particlegvi.cli" in loaded
    assert not loaded & HEAVY


@pytest.mark.slow
def test_a_run_with_its_pictures_loads_only_what_it_uses(tmp_path):
    run = ["run", "global-minimiser", "--set", "particles=8", "--set", "steps=20", "--out", "short"]
    loaded = loaded_by(f"from particlegvi.cli import main; sys.exit(main({run!r}))", tmp_path)
    assert (tmp_path / "short" / "histograms.png").exists()
    assert {"numba", "matplotlib.figure", "scipy.special", "particlegvi.plotting.histograms"} <= loaded
    assert "matplotlib.pyplot" not in loaded
    spared = ("spatial", "fft", "stats", "integrate", "optimize", "interpolate")
    assert not loaded & {f"scipy.{name}" for name in spared}
    others = {"scenario.tables", "plotting.functions", "plotting.lifting"}
    assert not loaded & {f"particlegvi.{name}" for name in others}


def test_the_probe_sees_what_is_loaded(tmp_path):
    assert "numpy" in loaded_by("import numpy", tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("statement", "spared"),
    [
        ("import particlegvi as pg; pg.page('global-minimiser')", {"matplotlib", "scipy.stats"}),
        (
            "import particlegvi as pg; loss = pg.losses.get('tilted-double-well'); "
            "run = pg.simulate(loss, pg.methods.DE(), pg.priors.Normal(), 5, 10, 0.01); "
            "assert 'W1 to truth' in run.describe()",  # which brings the room that makes the verdict
            {"matplotlib.pyplot"},
        ),
    ],
    ids=["page", "verdict"],
)
def test_a_call_loads_only_what_it_uses(statement, spared, tmp_path):
    assert not loaded_by(statement, tmp_path) & spared


@pytest.mark.thorough
def test_a_module_inside_a_room_keeps_its_public_name(tmp_path):
    statement = (
        "from particlegvi.tables import run_table; import particlegvi.jumps, particlegvi.calibration as c; "
        "import particlegvi as pg; from particlegvi.scenario import tables; import particlegvi.scenarios; "
        "assert pg.tables.run_table is tables.run_table is run_table and pg.scenarios is particlegvi.scenarios; "
        "assert pg.jumps.Jumps is particlegvi.methods.jumps.Jumps and pg.calibration is c and pg.scenarios.names()"
    )
    assert "particlegvi.scenario.tables.running" in loaded_by(statement, tmp_path)
    with pytest.raises(AssertionError, match="No module named 'particlegvi.kinds'"):
        loaded_by("import particlegvi.kinds", tmp_path)
