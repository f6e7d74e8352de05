"""`pg.sample` on fourteen posteriors of posteriordb beside what else one may call, with 10, 50 and 200 particles.

    PARTICLEGVI_DATA=FOLDER python benchmarks/rivals_on_posteriors.py --out FOLDER [--parts PART ...] [NAME ...]

Rivals that need a scale get one: DLE with plain steps and with those of ALDI, DRLE, SVGD and FD-GVI run in the
coordinates in which the best normal of the paths of `pg.sample` is standard, from draws of it, for 500 steps; in the
posteriors' own coordinates they diverge on most of them. "Pathfinder" is that start alone, weighed by importance. NUTS
is that of BlackJAX with its window adaptation of 1,000 steps, with a diagonal and with a dense metric, and that of
NumPyro with its defaults; they start inside of the posterior, and N of 1,000 draws count. MEADS has N chains that start
as reference draws, a metric of full rank, 2,000 steps to adapt and 500 more; N is 200 alone.

Gradients of NUTS are those of its warm-up and of so many draws as are worth 200 independent ones. `pg.sample` stands
beside it twice: with its default accuracy, for which its last steps are worth 664 draws together, and with the accuracy
0.182, for which they are worth 200. Seconds of NUTS and MEADS are those of a first call, which JAX compiles, and of a
second one, whose compiled code is there.

FOLDER gets `rows.json`, a row for each run, to which another call with this folder adds its rows; `table.md` with
medians; and `posteriors.png`.

- error of means: the largest over the coordinates, in standard deviations of the reference
- spread: the mean over the coordinates of sd / reference sd
- W1 / floor: the sliced W1 distance to the reference draws in coordinates in which they have the covariance 1, over
  its mean for as many exact draws
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jax_rivals import NUMBERS, NUTS_LABELS, blackjax_nuts, meads, numpyro_nuts
from posteriors import POSTERIORS, Posterior, folder

import particlegvi as pg
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.sampling.posterior import LinearView, PosteriorEnergy
from particlegvi.simulation.sampling.start import find_start

Array = np.ndarray
STEPS, STEP_SIZE, PRIOR_SD = 500, 0.1, 3.0
SEEDS = 2  # of `pg.sample` and its start; the others have one
EXACT = 0.923  # mean standard deviation of ten draws of a standard normal law, divided by 10 and not by 9
DRAWS_200 = 0.182  # the accuracy for which the last steps are worth 200 draws: (2.576 / 0.182)^2
WEIGHTS = (1.0, 10.0, 100.0)  # mmd_weight of DRLE
DIRECTIONS = 64
OURS = ("pg.sample", "pg.sample, 200 draws")


class Ruler:
    """Distances to the reference draws."""

    def __init__(self, reference: Array) -> None:
        self.mean, self.sd = reference.mean(axis=0), reference.std(axis=0)
        rng = np.random.default_rng(0)
        directions = rng.standard_normal((reference.shape[1], DIRECTIONS))
        directions /= np.linalg.norm(directions, axis=0)
        self.along = np.linalg.solve(np.linalg.cholesky(np.cov(reference.T)).T, directions)
        self.exact = np.sort((reference - self.mean) @ self.along, axis=0)
        self.floors = {}
        for number in NUMBERS:
            drawn = [reference[rng.choice(len(reference), number, replace=False)] for _ in range(40)]
            self.floors[number] = float(np.mean([self.sliced(draws) for draws in drawn]))

    def sliced(self, draws: Array) -> float:
        """Mean over directions of the W1 distance on the line, by quantiles."""
        places = np.sort((draws - self.mean) @ self.along, axis=0)
        which = np.arange(len(self.exact)) * len(places) // len(self.exact)
        return float(np.abs(places[which] - self.exact).mean())

    def row(self, draws: Array) -> dict[str, float]:
        return {
            "error of means": float((np.abs(draws.mean(axis=0) - self.mean) / self.sd).max()),
            "spread": float((draws.std(axis=0) / self.sd).mean()),
            "W1 / floor": self.sliced(draws) / self.floors[len(draws)],
        }


def sampled(posterior: Posterior, ruler: Ruler, number: int) -> Iterator[dict[str, Any]]:
    """`pg.sample` with both accuracies."""
    for seed in range(SEEDS):
        for label, accuracy in ((OURS[1], DRAWS_200), (OURS[0], 0.1)):
            began = time.perf_counter()
            run = pg.sample(posterior.loss(), particles=number, seed=seed, accuracy=accuracy, progress=None)
            price = {"gradients": run.info["gradients"], "seconds": time.perf_counter() - began}
            yield {"method": label, "arrived": run.arrived, **price, **ruler.row(run.final)}


def others(posterior: Posterior, ruler: Ruler, number: int) -> Iterator[dict[str, Any]]:
    """The start of `pg.sample` alone, and the other methods of this package in the coordinates of the start."""
    for seed in range(SEEDS):
        energy = PosteriorEnergy(posterior.loss(), pg.priors.Flat(len(posterior.names)), 1.0)
        began = time.perf_counter()
        with one_blas_thread():
            start = find_start(energy, 2 * number, seed)  # every second one starts wide: the others are the draws
        drawn = start.view.places(start.particles.place[::2])
        price = {"gradients": energy.evaluations, "seconds": time.perf_counter() - began}
        yield {"method": "Pathfinder", **price, **ruler.row(drawn)}
        for row in scaled(posterior, number, seed, start.view) if seed < 1 else ():
            draws = row.pop("draws")
            row["gradients"] += price["gradients"]
            yield row | ({"diverged": True} if draws is None else ruler.row(draws))


def scaled(posterior: Posterior, number: int, seed: int, view: LinearView) -> Iterator[dict[str, Any]]:
    """Other methods where a normal is standard; the prior's log density is part of the loss, so the target stays."""
    dim = len(posterior.names)
    loss = pg.Loss.from_numpy(
        lambda z: posterior.value(view.places(z)) - 0.5 * (z**2).sum(axis=1) / PRIOR_SD**2,
        lambda z: posterior.gradient(view.places(z)) @ view.root - z / PRIOR_SD**2,
        dim=dim,
    )
    prior = pg.priors.Normal([0.0] * dim, [PRIOR_SD] * dim)
    initial = np.random.default_rng(seed).standard_normal((number, dim))
    for label, method, step_size, each in (
        ("DLE, plain steps", pg.methods.DLE(), STEP_SIZE, number),
        ("DLE, ALDI", pg.methods.DLE(), STEP_SIZE, number),
        *((f"DRLE, mmd_weight {weight:g}", pg.methods.DRLE(1.0, weight), STEP_SIZE, number) for weight in WEIGHTS),
        ("SVGD", pg.methods.SVGD(bandwidth="every-step"), 3.0 * STEP_SIZE, number),
        ("FD-GVI", pg.methods.FDGVI(kl_weight=1.0), STEP_SIZE, 200),
    ):
        if label == "DLE, ALDI" and number < dim + 2:
            continue
        began = time.perf_counter()
        row: dict[str, Any] = {"method": label, "gradients": STEPS * each, "draws": None}
        try:
            run = pg.simulate(loss, method, prior, number, STEPS, step_size, initial=initial, seed=seed,
                              integrator="aldi" if label == "DLE, ALDI" else "euler-maruyama", record_every=0,
                              progress=None)  # fmt: skip
            row["draws"] = view.places(run.final)
        except pg.Diverged:
            pass
        yield {**row, "seconds": time.perf_counter() - began}


PARTS: dict[str, Callable[[Posterior, Ruler], Iterator[dict[str, Any]]]] = {
    "sample": lambda posterior, ruler: (
        row | {"particles": number} for number in NUMBERS for row in sampled(posterior, ruler, number)
    ),
    "others": lambda posterior, ruler: (
        row | {"particles": number} for number in NUMBERS for row in others(posterior, ruler, number)
    ),
    "dense": lambda posterior, ruler: blackjax_nuts(posterior, ruler, NUTS_LABELS[1]),
    "diagonal": lambda posterior, ruler: blackjax_nuts(posterior, ruler, NUTS_LABELS[0]),
    "numpyro": numpyro_nuts,
    "meads": meads,
}


COLUMNS = ("error of means", "spread", "W1 / floor", "gradients", "seconds", "seconds, compiled")


def table(rows: list[dict[str, Any]]) -> str:
    """Medians over posteriors and seeds, and the prices of every posterior."""
    lines = ["| particles | method | runs | " + " | ".join(COLUMNS) + " | largest W1 / floor | arrived |"]
    lines.append("|---|---|---|" + "---|" * (len(COLUMNS) + 2))
    for number in NUMBERS:
        for method in dict.fromkeys(row["method"] for row in rows):
            these = [row for row in rows if (row["method"], row["particles"]) == (method, number)]
            whole = [row for row in these if "diverged" not in row]
            if whole:
                middle = [f"{np.median([row.get(column, np.nan) for row in whole]):.3g}" for column in COLUMNS]
                largest = f"{max(row['W1 / floor'] for row in whole):.3g}"
                count = f"{len(whole)} of {len(these)}" if len(whole) < len(these) else f"{len(these)}"
                arrived = f"{sum(row['arrived'] for row in whole)}" if "arrived" in whole[0] else ""
                lines.append(f"| {number} | {method} | {count} | " + " | ".join(middle) + f" | {largest} | {arrived} |")
    heads = [*(f"{label}, {number} particles" for label, number in KINDS), *NUTS_LABELS]
    lines += ["", "Gradients, and in brackets the share of the best NUTS.", ""]
    lines += ["| posterior | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads)]
    for name in dict.fromkeys(row["posterior"] for row in rows):
        own, best = prices(rows, name)
        cells = [f"{price:,.0f} ({price / np.nanmin(best):.2f})" for price in own] + [f"{price:,.0f}" for price in best]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


KINDS = [(OURS[0], 200), (OURS[1], 200), (OURS[1], 50)]


def prices(rows: list[dict[str, Any]], name: str) -> tuple[list[float], list[float]]:
    """Gradients of `pg.sample` of these kinds, the median of its seeds, and of each NUTS to 200 independent draws."""

    def median(method: str, number: int) -> float:
        chosen = [row["gradients"] for row in rows
                  if (row["posterior"], row["method"], row["particles"]) == (name, method, number)]  # fmt: skip
        return float(np.median(chosen)) if chosen else np.nan

    return [median(*kind) for kind in KINDS], [median(label, 200) for label in NUTS_LABELS]


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Left: the spread of 10 particles, a dot a posterior. Right: gradients for 200 independent draws."""
    from particlegvi.plotting import style

    with style.slide_style():
        figure = style.new_slide()
        left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.0])
        methods = ["pg.sample", "DLE, plain steps", "DRLE, mmd_weight 1", "DRLE, mmd_weight 100", "SVGD", "FD-GVI"]
        for place, method in enumerate(methods[::-1]):
            seen: dict[str, list[float]] = {}
            for row in rows:
                if (row["method"], row["particles"]) == (method, 10) and "diverged" not in row:
                    seen.setdefault(row["posterior"], []).append(row["spread"])
            values = np.sort([np.median(each) for each in seen.values()])
            left.plot(values, place + np.linspace(-0.25, 0.25, len(values)), "o", color="#0072B2", alpha=0.75)
        left.axvline(EXACT, color="black", linestyle="--", linewidth=1.4)
        left.set_yticks(range(len(methods)), methods[::-1])
        left.set_xlabel("sd / that of the posterior\n(dashed: exact draws)")
        names = list(dict.fromkeys(row["posterior"] for row in rows))[::-1]
        left.set_title("10 particles")
        for place, name in enumerate(names):
            own, others = prices(rows, name)
            price, best = own[1], np.nanmin(others)
            right.plot([price, best], [place, place], color="0.8", linewidth=2.0, zorder=1)
            right.plot(price, place, "o", color="#0072B2", label="pg.sample" if not place else None)
            right.plot(best, place, "s", color="#D55E00", label="NUTS, its best metric" if not place else None)
        right.set_yticks(range(len(names)), [name.split("-")[-1] for name in names], fontsize=9)
        right.set_xscale("log")
        right.set_xlabel("gradients for\n200 independent draws")
        right.legend(loc="upper center", bbox_to_anchor=(0.35, 1.13), ncols=2)
        style.save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all where left out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="all where left out")
    chosen = parser.parse_args()
    if not folder().is_dir():
        sys.exit(f"there is no folder {folder()}: PARTICLEGVI_DATA names the one that holds posteriordb")
    chosen.out.mkdir(parents=True, exist_ok=True)
    stored = chosen.out / "rows.json"
    rows: list[dict[str, Any]] = json.loads(stored.read_text()) if stored.exists() else []
    for part in chosen.parts:
        for name, make in POSTERIORS.items():
            if chosen.names and not any(wanted in name for wanted in chosen.names):
                continue
            posterior = make()
            rows += [row | {"posterior": name} for row in PARTS[part](posterior, Ruler(posterior.reference))]
            print(part, name, flush=True)
            stored.write_text(json.dumps(rows, indent=0))
            (chosen.out / "table.md").write_text(table(rows))
    picture(rows, chosen.out / "posteriors.png")
    print(table(rows))


if __name__ == "__main__":
    main()
