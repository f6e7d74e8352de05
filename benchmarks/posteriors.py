"""Fourteen posteriors of posteriordb in one call each, beside their reference draws.

    PARTICLEGVI_DATA=FOLDER python benchmarks/posteriors.py                        # 200 particles, ten seeds
    PARTICLEGVI_DATA=FOLDER python benchmarks/posteriors.py --particles 20 --seeds 3 kidiq arK

The folder holds `posteriordb/` with the data and the reference draws (BSD 3-clause, the Stan developers). Each density
is written in unconstrained coordinates: a positive parameter is its logarithm, with the Jacobian. Errors are the
largest of all coordinates, in standard errors of as many independent draws: about 2 for exact ones.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import particlegvi as pg

Array = np.ndarray


class Posterior(NamedTuple):
    """A posterior: its energy and gradient at points (n, dim), the names of its coordinates, and reference draws."""

    value: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    names: list[str]
    reference: Array  # (draws, dim)

    def loss(self) -> Any:
        return pg.Loss.from_numpy(self.value, self.gradient, dim=len(self.names))


def folder() -> Path:
    return Path(os.environ.get("PARTICLEGVI_DATA", ".")) / "posteriordb"


def read(name: str) -> Any:
    """The JSON in NAME.json.zip."""
    with zipfile.ZipFile(folder() / f"{name}.json.zip") as archive:
        return json.loads(archive.read(archive.namelist()[0]))


def draws(name: str) -> dict[str, Array]:
    """All chains of the reference draws, one after the other."""
    chains = read(name)
    return {key: np.concatenate([np.array(chain[key]) for chain in chains]) for key in chains[0]}


def columns(reference: dict[str, Array], name: str, number: int) -> list[Array]:
    return [reference[f"{name}[{i + 1}]"] for i in range(number)]


def library(points: Any) -> Any:
    """numpy, or for arrays of JAX, whose gradients the rivals take, its own numpy."""
    if isinstance(points, np.ndarray):
        return np
    import jax

    return jax.numpy


def half_cauchy(scale: float) -> Callable[[Array], tuple[Array, Array]]:
    """Minus the log density of a half-Cauchy law at positive numbers, and its derivative."""
    return lambda s: (library(s).log1p((s / scale) ** 2), 2.0 * s / (scale**2 + s**2))


def half_normal(scale: float) -> Callable[[Array], tuple[Array, Array]]:
    return lambda s: (0.5 * (s / scale) ** 2, s / scale**2)


def flat(s: Array) -> tuple[Array, Array]:
    return 0.0 * s, 0.0 * s


def regression(X: Array, y: Array, noise_prior: Callable[[Array], tuple[Array, Array]], weight_sd: float) -> tuple:
    """Linear regression with unknown noise: coordinates are the weights and log sigma."""
    inverse = 1.0 / weight_sd**2

    def parts(points: Array) -> tuple[Array, Array, Array]:
        weights, sigma = points[:, :-1], library(points).exp(points[:, -1])
        return weights, sigma, (y - weights @ X.T) / sigma[:, None]

    def value(points: Array) -> Array:
        weights, sigma, errors = parts(points)
        prior = noise_prior(sigma)[0] + 0.5 * inverse * (weights**2).sum(axis=1)
        return 0.5 * (errors**2).sum(axis=1) + (len(y) - 1) * points[:, -1] + prior

    def gradient(points: Array) -> Array:
        weights, sigma, errors = parts(points)
        of_weights = -(errors @ X) / sigma[:, None] + inverse * weights
        of_noise = len(y) - 1 - (errors**2).sum(axis=1) + noise_prior(sigma)[1] * sigma
        return np.column_stack([of_weights, of_noise])

    return value, gradient


def linear(name: str, columns_of_X: list[Array], y: Array, noise_prior: Any, weight_sd: float = np.inf) -> Posterior:
    """A posterior whose reference draws are called beta[1], ..., sigma."""
    reference = draws(name)
    number = len(columns_of_X)
    names = [f"beta[{i + 1}]" for i in range(number)] + ["log sigma"]
    exact = np.column_stack([*columns(reference, "beta", number), np.log(reference["sigma"])])
    return Posterior(*regression(np.column_stack(columns_of_X), y, noise_prior, weight_sd), names, exact)


def kidiq(kind: str) -> Posterior:
    data = {key: np.array(value, float) for key, value in read("data-kidiq").items() if key != "N"}
    iq, school, y = data["mom_iq"], data["mom_hs"], data["kid_score"]
    one = np.ones(len(y))
    X = {
        "momiq": [one, iq],
        "momhs": [one, school],
        "momhsiq": [one, school, iq],
        "interaction": [one, school, iq, school * iq],
    }[kind]
    return linear(f"kidiq-kidscore_{kind}", X, y, half_cauchy(2.5))


def earnings(kind: str) -> Posterior:
    data = read("data-earnings")
    earn, height, male = (np.array(data[key], float) for key in ("earn", "height", "male"))
    one, standard = np.ones(len(earn)), (height - height.mean()) / height.std(ddof=1)
    X, y = {
        "earn_height": ([one, height], earn),
        "log10earn_height": ([one, height], np.log10(earn)),
        "logearn_height": ([one, height], np.log(earn)),
        "logearn_height_male": ([one, height, male], np.log(earn)),
        "logearn_interaction": ([one, height, male, height * male], np.log(earn)),
        "logearn_interaction_z": ([one, standard, male, standard * male], np.log(earn)),
        "logearn_logheight_male": ([one, np.log(height), male], np.log(earn)),
    }[kind]
    return linear(f"earnings-{kind}", X, y, flat)


def sblri() -> Posterior:
    data = read("data-sblri")
    X = np.array(data["X"], float)
    return linear("sblri-blr", list(X.T), np.array(data["y"], float), half_normal(10.0), weight_sd=10.0)


def time_series() -> Posterior:
    data = read("data-arK")
    y, order = np.array(data["y"], float), int(data["K"])
    lags = [y[order - k - 1 : len(y) - k - 1] for k in range(order)]
    functions = regression(np.column_stack([np.ones(len(y) - order), *lags]), y[order:], half_cauchy(2.5), 10.0)
    reference = draws("arK-arK")
    exact = np.column_stack([reference["alpha"], *columns(reference, "beta", order), np.log(reference["sigma"])])
    return Posterior(*functions, ["alpha", *(f"beta[{k + 1}]" for k in range(order)), "log sigma"], exact)


def eight_schools() -> Posterior:
    data = read("data-eight_schools")
    y, sd = np.array(data["y"], float), np.array(data["sigma"], float)

    def parts(points: Array) -> tuple[Array, Array, Array, Array]:
        effects, mean, spread = points[:, :8], points[:, 8:9], library(points).exp(points[:, 9:])
        return effects, mean, spread, (effects * spread + mean - y) / sd

    def value(points: Array) -> Array:
        effects, mean, spread, errors = parts(points)
        total = 0.5 * (effects**2).sum(axis=1) + 0.5 * (errors**2).sum(axis=1) + mean[:, 0] ** 2 / 50.0
        return total + library(points).log1p((spread[:, 0] / 5.0) ** 2) - points[:, 9]

    def gradient(points: Array) -> Array:
        effects, mean, spread, errors = parts(points)
        pulls = errors / sd
        of_spread = (pulls * effects).sum(axis=1) * spread[:, 0] - 1.0
        of_spread += 2.0 * spread[:, 0] ** 2 / (25.0 + spread[:, 0] ** 2)
        return np.column_stack([effects + pulls * spread, pulls.sum(axis=1) + mean[:, 0] / 25.0, of_spread])

    reference = draws("eight_schools-eight_schools_noncentered")
    effects = [(theta - reference["mu"]) / reference["tau"] for theta in columns(reference, "theta", 8)]
    exact = np.column_stack([*effects, reference["mu"], np.log(reference["tau"])])
    return Posterior(value, gradient, [f"effect[{i + 1}]" for i in range(8)] + ["mu", "log tau"], exact)


POSTERIORS: dict[str, Callable[[], Posterior]] = {
    **{f"kidiq-{kind}": lambda kind=kind: kidiq(kind) for kind in ("momiq", "momhs", "momhsiq", "interaction")},
    **{
        f"earnings-{kind}": lambda kind=kind: earnings(kind)
        for kind in (
            "earn_height",
            "log10earn_height",
            "logearn_height",
            "logearn_height_male",
            "logearn_interaction",
            "logearn_interaction_z",
            "logearn_logheight_male",
        )
    },
    "sblri": sblri,
    "arK": time_series,
    "eight_schools": eight_schools,
}


def errors(final: Array, reference: Array) -> tuple[float, float]:
    """The largest error of a mean and of a log standard deviation, in standard errors of as many independent draws."""
    number, sd = len(final), reference.std(axis=0)
    means = np.abs(final.mean(axis=0) - reference.mean(axis=0)) / sd * np.sqrt(number)
    spreads = np.abs(np.log(final.std(axis=0) / sd)) * np.sqrt(2.0 * number)
    return float(means.max()), float(spreads.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all where left out")
    parser.add_argument("--particles", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=10)
    chosen = parser.parse_args()
    if not folder().is_dir():
        sys.exit(f"there is no folder {folder()}: PARTICLEGVI_DATA names the one that holds posteriordb")
    print("| posterior | dim | arrived | steps | gradients | of them the start | seconds | means | sds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, make in POSTERIORS.items():
        if chosen.names and not any(part in name for part in chosen.names):
            continue
        posterior, rows = make(), []
        for seed in range(chosen.seeds):
            began = time.perf_counter()
            run = pg.sample(posterior.loss(), particles=chosen.particles, seed=seed, progress=None)
            seconds = time.perf_counter() - began
            gradients = run.info["gradients"], run.info["start"]["gradients"]
            rows.append((run.arrived, run.steps[-1], *gradients, seconds, *errors(run.final, posterior.reference)))
        arrived, *numbers = np.array(rows, float).T
        medians = [f"{np.median(values):.4g}" for values in numbers[:4]]
        worst = [f"{values.max():.1f}" for values in numbers[4:]]
        print(
            f"| {name} | {len(posterior.names)} | {int(arrived.sum())} of {len(rows)} |",
            " | ".join(medians + worst),
            "|",
        )


if __name__ == "__main__":
    main()
