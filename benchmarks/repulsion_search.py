"""Where repulsion pays: the search behind the scenario ``repulsion-pays`` and the page docs/repulsion.md.

A wheel is photographed once a second and the hand stands at the top again: it has turned 0, 1, ..., or 7 times. The
parameter t is the number of turns a second, the loss sin^2(pi t) has eight equally good modes with barriers of height
1, the prior is uniform over them, and eight particles start as draws from it. With kl_weight w the Gibbs measure
exp(-loss/w) p is the Bayes posterior after one photograph of the hand (a unit vector) with noise of variance 2 w in
each coordinate. An ensemble predicts the place of the hand between photographs.

    python benchmarks/repulsion_search.py            the whole search, about ten minutes on one core
    python benchmarks/repulsion_search.py --figure   draws docs/repulsion-region.png from the recorded results

The setting is picked on ``SEARCH`` seeds; all that is quoted comes from ``CONFIRMATION`` seeds, which picked nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import particlegvi as pg

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "repulsion.json"
PICTURE = HERE.parent / "docs" / "repulsion-region.png"

SEARCH = range(1_000_000, 1_000_024)
CONFIRMATION = range(2_000_000, 2_000_200)
MAP_SEEDS = CONFIRMATION[:40]
KL_WEIGHTS = (0.05, 0.1, 0.2)
MMD_WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
LENGTHSCALES = (0.25, 0.354, 0.5, 0.707, 1.0, 1.414, 2.0, 4.0)
STEPS, STEP_SIZE = 20_000, 2e-3
HELD_OUT_TIMES = (np.arange(16) + 0.5) / 16.0  # seconds after the first photograph


class Family(NamedTuple):
    """A loss on the line whose modes are where ``phase`` is a whole number from 0 to modes - 1."""

    formula: str
    phase: Any
    low: float
    high: float
    modes: int = 8

    def loss(self) -> Any:
        return pg.Loss.from_formula(self.formula, variables=["t"])

    def covered(self, final: np.ndarray) -> int:
        """Number of modes with at least one particle in their basin."""
        return len(np.unique(np.clip(np.round(self.phase(final)), 0, self.modes - 1)))


def bent(t: np.ndarray) -> np.ndarray:
    return t + 0.3 * np.sin(1.7 * t)


def where(phase: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda t: bent(np.array(t)) - phase, phase - 1.0, phase + 1.0))


WHEEL = Family("sin(pi*t)^2", lambda t: t, -0.5, 7.5)
UNEQUAL_DEPTHS = Family("sin(pi*t)^2 + 0.1*sin(1.7*t)", lambda t: t, -0.5, 7.5)
UNEQUAL_SPACING = Family("sin(pi*(t + 0.3*sin(1.7*t)))^2", bent, where(-0.5), where(7.5))


def final_particles(family: Family, method: Any, seed: int, particles: int, steps: int = STEPS) -> np.ndarray:
    prior = pg.priors.Uniform(family.low, family.high)
    run = pg.simulate(
        family.loss(),
        method,
        prior=prior,
        particles=particles,
        steps=steps,
        step_size=STEP_SIZE,
        seed=seed,
        record_every=0,
    )
    return run.final[:, 0]


def surprise(final: np.ndarray, noise_variance: float) -> float:
    """Mean negative log density of held-out photographs under the equally weighted mixture of the particles.

    The truth is each of the eight numbers of turns in turn; the average over the noise is a Gauss-Hermite rule.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    weights = weights / weights.sum()
    sd = math.sqrt(noise_variance)
    truth = np.exp(2j * np.pi * np.outer(np.arange(8), HELD_OUT_TIMES))
    noise = sd * (nodes[:, None] + 1j * nodes)
    seen = truth[..., None, None] + noise  # (truths, times, nodes, nodes)
    centres = np.exp(2j * np.pi * np.outer(final, HELD_OUT_TIMES))
    density = np.zeros(seen.shape)
    for centre in centres:
        density += np.exp(-(np.abs(seen - centre[None, :, None, None]) ** 2) / (2.0 * noise_variance))
    density /= len(final) * 2.0 * np.pi * noise_variance
    return float(-(np.log(density).mean(axis=(0, 1)) * np.outer(weights, weights)).sum())


def measure(family: Family, method: Any, seeds: range, particles: int, noise_variance: float) -> dict[str, list[float]]:
    """Modes covered, average loss and (for the wheel) held-out surprise, one number per seed."""
    loss = family.loss()
    finals = [final_particles(family, method, seed, particles) for seed in seeds]
    found: dict[str, list[float]] = {
        "covered": [family.covered(final) for final in finals],
        "loss": [float(np.mean(loss.value(final[:, None]))) for final in finals],
    }
    if family is WHEEL:
        found["surprise"] = [surprise(final, noise_variance) for final in finals]
    return found


def interval(values: Any) -> list[float]:
    """Mean and the ends of its 95% interval (normal)."""
    array = np.asarray(values, dtype=np.float64)
    half = 1.96 * array.std(ddof=1) / math.sqrt(len(array))
    return [round(float(number), 4) for number in (array.mean(), array.mean() - half, array.mean() + half)]


def proportion(count: int, total: int) -> list[float]:
    """A proportion and its exact 95% interval (Clopper and Pearson)."""
    from scipy.special import betaincinv

    low = betaincinv(count, total - count + 1, 0.025) if count else 0.0
    high = betaincinv(count + 1, total - count, 0.975) if count < total else 1.0
    return [round(float(number), 4) for number in (count / total, low, high)]


def ceiling(particles: int, modes: int) -> float:
    """Largest expected number of modes that independent particles of one law can cover, whatever that law.

    It is sum_k 1 - (1 - p_k)^N, a concave function of the probabilities, and so largest where all are equal.
    """
    return modes * (1.0 - (1.0 - 1.0 / modes) ** particles)


def drle(kl_weight: float, mmd_weight: float, lengthscale: float) -> Any:
    return pg.methods.DRLE(kl_weight, mmd_weight, pg.kernels.SquaredExponential(lengthscale))


def region(seeds: range) -> list[dict[str, Any]]:
    """Every setting of the grid: coverage, and differences to DLE on the same starts and noise."""
    cells = []
    for kl_weight in KL_WEIGHTS:
        plain = measure(WHEEL, pg.methods.DLE(kl_weight), seeds, 8, 2.0 * kl_weight)
        for mmd_weight in MMD_WEIGHTS:
            for lengthscale in LENGTHSCALES:
                ours = measure(WHEEL, drle(kl_weight, mmd_weight, lengthscale), seeds, 8, 2.0 * kl_weight)
                cells.append({
                    "kl_weight": kl_weight,
                    "mmd_weight": mmd_weight,
                    "lengthscale": lengthscale,
                    "covered": interval(ours["covered"]),
                    "covered_more": interval(np.subtract(ours["covered"], plain["covered"])),
                    "surprise_more": interval(np.subtract(ours["surprise"], plain["surprise"])),
                    "loss": interval(ours["loss"]),
                })  # fmt: skip
                print(json.dumps(cells[-1]), file=sys.stderr, flush=True)
    return cells


def best(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """The setting that covers most modes, and of those the one that predicts best: the rule, fixed in advance."""
    return max(cells, key=lambda cell: (cell["covered"][0], -cell["surprise_more"][0]))


def row(name: str, family: Family, method: Any, seeds: range, particles: int, kl_weight: float) -> dict[str, Any]:
    found = measure(family, method, seeds, particles, 2.0 * kl_weight)
    most = min(particles, family.modes)
    entry: dict[str, Any] = {
        "method": name,
        "particles": particles,
        "replicates": len(seeds),
        "covered": interval(found["covered"]),
        "covers_all": proportion(sum(count == most for count in found["covered"]), len(seeds)),
        "loss": interval(found["loss"]),
        "ceiling_of_independent_particles": round(ceiling(particles, family.modes), 4),
    }
    if "surprise" in found:
        entry["surprise"] = interval(found["surprise"])
    print(json.dumps(entry), file=sys.stderr, flush=True)
    return entry


def table(chosen: dict[str, Any], seeds: range) -> list[dict[str, Any]]:
    """The methods at the chosen setting, on one set of seeds."""
    kl_weight, mmd_weight, lengthscale = (chosen[key] for key in ("kl_weight", "mmd_weight", "lengthscale"))
    kernel = pg.kernels.SquaredExponential(lengthscale)
    entries = [
        ("DE", pg.methods.DE()),
        ("DLE", pg.methods.DLE(kl_weight)),
        ("DLE, twice as hot", pg.methods.DLE(2.0 * kl_weight)),
        ("DRE", pg.methods.DRE(mmd_weight, kernel)),
        ("DRLE", drle(kl_weight, mmd_weight, lengthscale)),
        ("SVGD", pg.methods.SVGD(kl_weight, kernel)),
    ]
    return [row(name, WHEEL, method, seeds, 8, kl_weight) for name, method in entries]


def elsewhere(chosen: dict[str, Any], seeds: range) -> list[dict[str, Any]]:
    """The chosen weights where modes and particles are not as alike: other losses, fewer and more particles."""
    kl_weight, mmd_weight, lengthscale = (chosen[key] for key in ("kl_weight", "mmd_weight", "lengthscale"))
    cases = [
        ("unequal depths", UNEQUAL_DEPTHS, 8, 1.0),
        ("unequal spacing", UNEQUAL_SPACING, 8, 1.0),
        ("4 particles", WHEEL, 4, 1.0),
        ("16 particles", WHEEL, 16, 1.0),
        ("16 particles, mmd_weight doubled", WHEEL, 16, 2.0),
    ]
    entries = []
    for name, family, particles, factor in cases:
        for method in (pg.methods.DE(), pg.methods.DLE(kl_weight), drle(kl_weight, factor * mmd_weight, lengthscale)):
            entries.append({"case": name} | row(method.label, family, method, seeds, particles, kl_weight))
    return entries


def draw(found: dict[str, Any]) -> None:
    """The region: modes covered more than by DLE (above) and surprise (below), every cell on fresh seeds."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 7.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, len(KL_WEIGHTS), sharex=True, sharey=True)
    rows = (
        ("covered_more", "more modes covered", 3.0, "PuOr"),
        ("surprise_more", "more surprise (worse)", 0.6, "PuOr_r"),
    )
    for line, (key, words, most, colours) in enumerate(rows):
        for column, kl_weight in enumerate(KL_WEIGHTS):
            axes = panels[line, column]
            cells = [cell for cell in found["region"] if cell["kl_weight"] == kl_weight]
            grid = np.array([cell[key] for cell in cells]).reshape(len(MMD_WEIGHTS), len(LENGTHSCALES), 3)
            image = axes.imshow(grid[..., 0], origin="lower", aspect="auto", cmap=colours, vmin=-most, vmax=most)
            for i, j in np.argwhere((grid[..., 1] <= 0.0) & (grid[..., 2] >= 0.0)):
                axes.text(j, i, "o", ha="center", va="center", fontsize=12)
            axes.set_xticks(range(len(LENGTHSCALES)), [f"{scale:.2g}" for scale in LENGTHSCALES])
            axes.set_yticks(range(len(MMD_WEIGHTS)), [f"{weight:g}" for weight in MMD_WEIGHTS])
            if line == 0:
                axes.set_title(f"kl_weight {kl_weight:g}", fontsize=13)
            else:
                axes.set_xlabel("lengthscale / spacing", fontsize=12)
            if column == 0:
                axes.set_ylabel("mmd_weight", fontsize=12)
        figure.colorbar(image, ax=panels[line], label=words)
    figure.suptitle("DRLE minus DLE, 8 particles and 8 modes (o: the 95% interval holds 0)", fontsize=14)
    figure.savefig(PICTURE, dpi=100, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", action="store_true", help="only draw the recorded results")
    if not parser.parse_args().figure:
        warnings.simplefilter("ignore", UserWarning)  # steps beyond the stability limit of the start
        began = time.process_time()
        searched = region(SEARCH)
        chosen = {key: best(searched)[key] for key in ("kl_weight", "mmd_weight", "lengthscale")}
        found = {
            "seeds": {"search": [SEARCH[0], SEARCH[-1]], "confirmation": [CONFIRMATION[0], CONFIRMATION[-1]]},
            "steps": STEPS,
            "step_size": STEP_SIZE,
            "chosen": chosen,
            "on_search_seeds": table(chosen, SEARCH),
            "on_confirmation_seeds": table(chosen, CONFIRMATION),
            "elsewhere": elsewhere(chosen, CONFIRMATION),
            "region": region(MAP_SEEDS),
            "region_seeds": [MAP_SEEDS[0], MAP_SEEDS[-1]],
            "searched": searched,
        }
        found["cpu_seconds"] = round(time.process_time() - began)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    draw(json.loads(RESULTS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
