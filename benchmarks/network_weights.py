"""How the repulsion of ``regression-gap`` and ``two-moons`` was chosen, and what it does on seeds that chose nothing.

    python benchmarks/network_weights.py               both: the choice on ``SELECTION`` seeds, then ``FRESH`` ones
    python benchmarks/network_weights.py two-moons     one of them
    python benchmarks/network_weights.py --fresh       only the fresh seeds, with the settings that the scenario has

A candidate is a weight and the box in which the context inputs lie. All else is the scenario's. The rules were written
down before anything was run on the fresh seeds:

- regression-gap: of the candidates that cost at most 0.06 nats where there are data, half of what is allowed, cover at
  least 90% in the gap, and whose standard deviation there is at most four times that of the true process, the one with
  the lowest mean of the negative log-likelihoods in the gap and outside.
- two-moons: of the candidates that cost at most 0.015 nats on test rows, half of what is allowed, those whose lowest
  AUROC, over seeds and over places inside and beyond the box, is within 0.01 of the best; of these the smallest weight.
"""

from __future__ import annotations

import argparse
import itertools
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

import particlegvi as pg

SELECTION, FRESH = range(31_000, 31_012), range(32_000, 32_012)
WEIGHTS = {"regression-gap": (0.05, 0.1, 0.2), "two-moons": (0.1, 0.2, 0.3, 0.5, 1.0)}
BOXES = {"regression-gap": (4.0, 5.0, 6.0), "two-moons": (4.0,)}  # half of their widths
ON_WEIGHTS = {"method": "DRE", "mmd_weight": 100.0, "kernel": {"name": "squared-exponential", "lengthscale": "median"}}
COST = {"regression-gap": 0.06, "two-moons": 0.015}
COVERED, WIDEST, NEAR = 0.9, 4.0, 0.01
Numbers = dict[str, dict[str, np.ndarray]]  # by label and name, one entry for each seed


def candidates(name: str) -> dict[str, Any]:
    """The entries of all candidates, by a label of the kind "box 5 weight 0_1"."""
    label = "DRE" if name == "regression-gap" else "DRE-outputs"
    kernel = pg.scenarios.get(name)["methods"][label]["kernel"]
    found = {}
    for half, weight in itertools.product(BOXES[name], WEIGHTS[name]):
        entry = {"method": "DRE", "mmd_weight": weight, "kernel": {**kernel, "low": -half, "high": half}}
        found[f"box {half:g} weight {weight:g}".replace(".", "_")] = entry
    return found


def of_seed(seed: int, name: str, methods: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The scores of the methods, and of no other one of the scenario, on the data of one seed."""
    warnings.simplefilter("ignore", UserWarning)
    others = dict.fromkeys(pg.scenarios.get(name)["methods"], False)
    summary = pg.run(name, seed=seed, methods={**others, **methods}).summary["methods"]
    found = {}
    for label, facts in summary.items():
        numbers = {key: value for key, value in facts.items() if isinstance(value, float)}
        for table in ("regions", "reference"):
            for region, scores in facts.get(table, {}).items():
                numbers |= {f"{table}.{region}.{key}": value for key, value in scores.items()}
        found[label] = numbers
    return found


def measured(name: str, methods: dict[str, Any], seeds: range, jobs: int) -> Numbers:
    """The scores of the methods on all seeds."""
    os.environ["NUMBA_NUM_THREADS"] = "1"  # of each process
    with ProcessPoolExecutor(jobs) as pool:
        each = list(pool.map(partial(of_seed, name=name, methods=methods), seeds))
    return {label: {key: np.array([one[label][key] for one in each]) for key in each[0][label]} for label in each[0]}


def chosen(name: str, found: Numbers) -> str:
    """The label of the candidate that the rule picks."""
    plain = found["DE"]
    cheap = {
        label: scores for label, scores in found.items()
        if label != "DE" and np.mean(scores["nll"] - plain["nll"]) <= COST[name]
    }  # fmt: skip
    if name == "two-moons":
        worst = {label: float(min(each["auroc"].min(), each["auroc_beyond"].min())) for label, each in cheap.items()}
        good = [label for label, value in worst.items() if value >= max(worst.values()) - NEAR]
        return min(good, key=lambda label: float(label.split()[-1].replace("_", ".")))
    narrow = {
        label: scores for label, scores in cheap.items()
        if np.mean(scores["regions.gap.spread"]) <= WIDEST * np.mean(scores["reference.gap.spread"])
        and np.mean(scores["regions.gap.coverage_90"]) >= COVERED
    }  # fmt: skip
    unsure = lambda scores: float(np.mean(scores["regions.gap.nll"]) + np.mean(scores["regions.outside.nll"]))
    return min(narrow, key=lambda label: unsure(narrow[label]))


def table(name: str, found: Numbers) -> str:
    """Means over the seeds; in brackets the worst of them."""
    lines = []
    for label, each in found.items():
        mean = {key: float(values.mean()) for key, values in each.items()}
        if name == "two-moons":
            words = (
                f"AUROC far {mean['auroc']:.3f} [{each['auroc'].min():.3f}], beyond {mean['auroc_beyond']:.3f}"
                f" [{each['auroc_beyond'].min():.3f}]; test nll {mean['nll']:.4f}, accuracy {mean['accuracy']:.3f};"
                f" confidence far {mean['confidence_far']:.3f}"
            )
        else:
            words = "; ".join(_region(mean, "regions", region) for region in ("inside", "gap", "outside"))
        lines.append(f"{label:28s} {words}")
    if name == "regression-gap":
        mean = {key: float(values.mean()) for key, values in found["DE"].items()}
        words = "; ".join(_region(mean, "reference", region) for region in ("inside", "gap", "outside"))
        lines.append(f"{'the process itself':28s} {words}")
    return "\n".join(lines)


def _region(mean: dict[str, float], where: str, region: str) -> str:
    nll, covered, sd = (mean[f"{where}.{region}.{key}"] for key in ("nll", "coverage_90", "spread"))
    return f"{region} nll {nll:6.3f} covers {covered:.2f} sd {sd:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="regression-gap, two-moons or both")
    parser.add_argument("--fresh", action="store_true", help="only the fresh seeds, with the scenario's settings")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    options = parser.parse_args()
    for name in options.names or list(WEIGHTS):
        if not options.fresh:
            found = measured(name, {"DE": {}, **candidates(name)}, SELECTION, options.jobs)
            print(f"{name}, selection seeds {SELECTION[0]} to {SELECTION[-1]}\n{table(name, found)}")
            print(f"chosen: {chosen(name, found)}\n", flush=True)
        methods = {"DRE-weights": ON_WEIGHTS, **pg.scenarios.get(name)["methods"]}
        found = measured(name, methods, FRESH, options.jobs)
        print(f"{name}, fresh seeds {FRESH[0]} to {FRESH[-1]}, as in the scenario\n{table(name, found)}\n", flush=True)


if __name__ == "__main__":
    main()
