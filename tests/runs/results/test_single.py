"""A single run has the verdict that a comparison of its method alone has, in text and in a notebook."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

import particlegvi as pg
from particlegvi.scenario import reading

LOSS, PRIOR = pg.losses.get("double-well"), pg.priors.Normal(0.0, 1.0)


def simulated(steps, **how):
    return pg.simulate(LOSS, pg.methods.DLE(1.0), PRIOR, 200, steps, 2e-3, seed=0, **how)


def test_it_is_the_one_of_a_comparison():
    run = simulated(4000)
    both = pg.compare(LOSS, [pg.methods.DLE(1.0)], PRIOR, 200, 4000, 2e-3, seed=0)
    verdict = both.summary["methods"]["DLE"]["equilibrium"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = run.describe()
    assert verdict["reached"] is True and verdict["verdict"].startswith("at equilibrium")
    assert text.splitlines()[1:] == both.describe().splitlines()[1:]  # but for the name
    assert "✓ at equilibrium" in run._repr_html_()


def test_a_bad_one_is_warned_about_once():
    run = simulated(40, initial=0.2 * PRIOR.sample(200) + 1.0)
    with pytest.warns(UserWarning, match="^DLE: .*not ") as told:
        text = run.describe()
    assert str(told[0].message) in " ".join(text.split())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run.describe() == text
    assert "✗ " in run._repr_html_()


class Without(pg.methods.DLE):
    """A method whose flow is forgotten."""

    def flow(self, problem):
        return None


def test_a_method_without_a_flow_is_one_sentence():
    with pytest.raises(ValueError, match="^the flow of .* must be a particlegvi.contracts.Flow, not None$"):
        pg.simulate(LOSS, Without(1.0), PRIOR, 5, 5, 1e-3)


def test_a_rule_without_a_kernel_is_left_out():
    run = simulated(40)
    run.info["lengthscale_rule"] = "a rule of its own"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "a rule of its own" not in run.describe()
        run = simulated(40)
        run.info |= {"lengthscale_rule": "a rule of its own", "kernel": "own"}
        assert "own kernel, a rule of its own" in run.describe()  # control


def test_a_file_of_notepad_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('loss = "x^2/2"\n', encoding="utf-8-sig")
    assert reading.read(path) == {"loss": "x^2/2"}


@pytest.mark.thorough
def test_a_run_of_the_room_of_simulations_alone_describes_itself():
    """In a new process, which has not imported the room that makes the verdict."""
    code = (
        "from particlegvi import losses, methods, priors; from particlegvi.simulation.loop import simulate;"
        "run = simulate(losses.get('tilted-double-well'), methods.DE(), priors.Normal(), 5, 10, 0.01);"
        "print(run.describe())"
    )
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
    assert "W1 to truth" in said.stdout, said.stderr
