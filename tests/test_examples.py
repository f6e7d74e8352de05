"""The programs of docs/examples/ run, and what their pages say holds. The build of the site runs them as well."""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

# What the page of an example says, of the names that its program leaves.
SAID: dict[str, Callable[[dict], bool]] = {
    "01_landscape": lambda seen: abs((seen["results"]["DE"].final > 0).mean() - 0.5) < 0.13,  # 4.5 standard errors
    "02_own_loss": lambda seen: "not yet" in seen["short"].describe() and "at equilibrium" in seen["run"].describe(),
    "03_without_gradient": lambda seen: "as close as" in seen["run"].describe() and np.all(seen["radius"] > 0.0),
    "04_stuck": lambda seen: "metastable" in seen["plain"].describe() and (seen["jumping"].final < 0).mean() > 0.99,
    "05_methods": lambda seen: list(seen["results"]) == ["DE", "DLE", "DRE", "DRLE", "SVGD", "FDGVI"],
    "06_drle_law": lambda seen: seen["fixed_point"].residual < 1e-6 and seen["gibbs"].cdf(-0.5) > 0.8,
    "07_step_size": lambda seen: 3.5 < seen["bias"][1] / seen["bias"][0] < 6.0,  # the last of the two: second order
    "08_own_kernel": lambda seen: abs(seen["difference"] / seen["kernel"].slope(seen["r2"]) - 1.0) < 1e-6,
    "09_logistic_regression": lambda seen: (
        np.abs(seen["dle"].final.mean(axis=0) - seen["mala"].final.mean(axis=0)).max() < 0.3
        and abs(seen["probability"][0, 0] - 0.5) < abs(seen["probability"][40, 0] - 0.5)
    ),
    "10_sweep": lambda seen: seen["means"].loc["DLE"]["mean"].iloc[0] > 3.0 * seen["means"].loc["DLE"]["mean"].iloc[-1],
    "11_arviz": lambda seen: seen["data"].posterior["position"].shape == (40, len(seen["draws"][0]), 2),
    "12_film": lambda seen: seen["film"].read_bytes()[:6] == b"GIF89a",
    "13_functions": lambda seen: seen["sd"][seen["gap"]].mean() > 1.5 * seen["sd"].min(),
    "14_counts": lambda seen: seen["inside"] > 0.5 and seen["low"].min() > 0.0,
    "15_networks": lambda seen: (
        seen["repelled"].disagreement(seen["far"]).min() > seen["plain"].disagreement(seen["X"]).max()
    ),
    "16_certificate": lambda seen: seen["error"].max() < 0.1,
}
NEEDS = {
    "10_sweep": ["pandas"],
    "11_arviz": ["arviz"],
    "13_functions": ["sklearn"],
    "14_counts": ["sklearn"],
    "15_networks": ["sklearn"],
}
QUICK = {"03_without_gradient", "06_drle_law", "07_step_size", "13_functions", "16_certificate"}


def test_there_are_few_and_each_is_short(root):
    lines = {path.stem: path.read_text("utf-8").count("\n") for path in (root / "docs" / "examples").glob("plot_*.py")}
    assert set(lines) == {f"plot_{name}" for name in SAID} and len(lines) <= 16 and max(lines.values()) <= 100


MARKS = {name: pytest.mark.thorough if name in QUICK else pytest.mark.slow for name in SAID}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[MARKS[name], pytest.mark.needs(*NEEDS.get(name, []))]) for name in SAID]
)
def test_an_example_does_what_its_page_says(root: Path, elsewhere, name: str):
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", "DLE: (not yet at equilibrium|metastable)")  # the two that pages speak of
        seen = runpy.run_path(str(root / "docs" / "examples" / f"plot_{name}.py"))
    pyplot.close("all")
    assert SAID[name](seen)
