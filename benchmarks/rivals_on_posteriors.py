"""`pg.sample` on fourteen posteriors of posteriordb beside what else one may call, with 10, 50 and 200 particles.

    PARTICLEGVI_DATA=FOLDER python benchmarks/rivals_on_posteriors.py --out FOLDER [--no-jax] [NAME ...]

Rivals that need a scale get one: DLE with plain steps and with those of ALDI, DRLE, SVGD and FD-GVI run in the
coordinates in which the best normal of the paths of `pg.sample` is standard, from draws of it, for 500 steps; in the
posteriors' own coordinates they diverge on most of them. "Pathfinder" is that start alone, weighed by importance. NUTS
is that of BlackJAX with its window adaptation of 1,000 steps, with a diagonal and with a dense metric, and that of
NumPyro with its defaults; they start inside of the posterior, and N of 1,000 draws count. MEADS has N chains, 1,000
steps to adapt and 500 more. Seconds of NUTS and MEADS have the compilation of JAX in them.

FOLDER gets `rows.json`, a row for each run, `table.md` with medians, and `posteriors.png`.

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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from posteriors import POSTERIORS, Posterior, folder

import particlegvi as pg
from particlegvi.simulation.sampling.posterior import LinearView, PosteriorEnergy
from particlegvi.simulation.sampling.start import find_start

Array = np.ndarray
NUMBERS = (10, 50, 200)
STEPS, STEP_SIZE, PRIOR_SD = 500, 0.1, 3.0
SEEDS = 3  # of the methods of this package; the others have one
DIRECTIONS = 64


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


def ours(posterior: Posterior, ruler: Ruler, number: int) -> Iterator[dict[str, Any]]:
    """`pg.sample`, its start alone, and the other methods in the coordinates of the start."""
    for seed in range(SEEDS):
        began = time.perf_counter()
        run = pg.sample(posterior.loss(), particles=number, seed=seed, progress=None)
        price = {"gradients": run.info["gradients"], "seconds": time.perf_counter() - began}
        yield {"method": "pg.sample", "arrived": run.arrived, **price, **ruler.row(run.final)}
        energy = PosteriorEnergy(posterior.loss(), pg.priors.Flat(len(posterior.names)), 1.0)
        began = time.perf_counter()
        start = find_start(energy, 2 * number, seed)  # every second one starts wide: the others are the draws
        drawn = start.view.places(start.particles.place[::2])
        price = {"gradients": run.info["start"]["gradients"], "seconds": time.perf_counter() - began}
        yield {"method": "Pathfinder", **price, **ruler.row(drawn)}
        for row in scaled(posterior, number, seed, start.view):
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
        ("DRLE", pg.methods.DRLE(), STEP_SIZE, number),
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


def nuts(posterior: Posterior, ruler: Ruler) -> Iterator[dict[str, Any]]:
    """NUTS of BlackJAX and of NumPyro, and MEADS, at every number of particles; gradients to 200 effective draws."""
    import blackjax
    import jax
    from numpyro.infer import MCMC, NUTS

    def log_density(point: Any) -> Any:
        return -posterior.value(point[None])[0]

    inside = jax.numpy.array(ruler.mean + 0.1 * ruler.sd)
    for label, diagonal in (("NUTS, diagonal (BlackJAX)", True), ("NUTS, dense (BlackJAX)", False)):
        began = time.perf_counter()
        adaptation = blackjax.window_adaptation(blackjax.nuts, log_density, is_mass_matrix_diagonal=diagonal)
        (state, tuned), told = adaptation.run(jax.random.PRNGKey(0), inside, num_steps=1000)
        kernel = blackjax.nuts(log_density, **tuned)

        def body(state: Any, key: Any, kernel: Any = kernel) -> Any:
            state, info = kernel.step(key, state)
            return state, (state.position, info.num_integration_steps)

        _, (draws, steps) = jax.lax.scan(body, state, jax.random.split(jax.random.PRNGKey(1), 1000))
        warm = int(np.sum(told.info.num_integration_steps))
        yield from chain(ruler, label, np.array(draws), warm, np.array(steps), time.perf_counter() - began)
    began = time.perf_counter()
    run = MCMC(NUTS(potential_fn=lambda point: -log_density(point)), num_warmup=1000, num_samples=1000,
               progress_bar=False)  # fmt: skip
    run.warmup(jax.random.PRNGKey(0), init_params=inside, extra_fields=("num_steps",), collect_warmup=True)
    warm = int(np.sum(run.get_extra_fields()["num_steps"]))
    run.run(jax.random.PRNGKey(1), init_params=inside, extra_fields=("num_steps",))
    steps = np.array(run.get_extra_fields()["num_steps"])
    draws = np.array(run.get_samples())
    yield from chain(ruler, "NUTS (NumPyro)", draws, warm, steps, time.perf_counter() - began)
    for number in NUMBERS:
        began = time.perf_counter()
        chains = -(-number // 4) * 4  # in four folds
        places = jax.numpy.array(posterior.reference[:: len(posterior.reference) // chains][:chains])
        adapted = blackjax.meads_adaptation(log_density, num_chains=chains)
        (states, tuned), _ = adapted.run(jax.random.PRNGKey(0), places, num_steps=1000)
        kernel = blackjax.ghmc(log_density, **tuned)

        def move(states: Any, key: Any, kernel: Any = kernel, chains: int = chains) -> Any:
            return jax.vmap(kernel.step)(jax.random.split(key, chains), states)[0], None

        states, _ = jax.lax.scan(move, states, jax.random.split(jax.random.PRNGKey(1), 500))
        row = ruler.row(np.array(states.position)[:number])
        yield {"method": "MEADS (BlackJAX)", "particles": number, "gradients": 1500 * chains,
               "seconds": time.perf_counter() - began, **row}  # fmt: skip


def chain(ruler: Ruler, label: str, draws: Array, warm: int, steps: Array, seconds: float) -> Iterator[dict[str, Any]]:
    """N of the draws of a chain, evenly apart; gradients until they are worth N independent ones."""
    import arviz

    worth = float(np.min(arviz.ess(arviz.convert_to_dataset(draws[None]))["x"].values))
    per_draw = float(np.sum(steps)) / worth
    for number in NUMBERS:
        chosen = draws[:: len(draws) // number][:number]
        yield {"method": label, "particles": number, "gradients": round(warm + number * per_draw), "warm-up": warm,
               "seconds": seconds, **ruler.row(chosen)}  # fmt: skip


COLUMNS = ("error of means", "spread", "W1 / floor", "gradients", "seconds")


def table(rows: list[dict[str, Any]]) -> str:
    """Medians over posteriors and seeds."""
    lines = ["| particles | method | runs | " + " | ".join(COLUMNS) + " | largest W1 / floor |"]
    lines.append("|---|---|---|" + "---|" * (len(COLUMNS) + 1))
    for number in NUMBERS:
        for method in dict.fromkeys(row["method"] for row in rows):
            these = [row for row in rows if (row["method"], row["particles"]) == (method, number)]
            whole = [row for row in these if "diverged" not in row]
            if whole:
                middle = [f"{np.median([row[column] for row in whole]):.3g}" for column in COLUMNS]
                largest = f"{max(row['W1 / floor'] for row in whole):.3g}"
                count = f"{len(whole)} of {len(these)}" if len(whole) < len(these) else f"{len(these)}"
                lines.append(f"| {number} | {method} | {count} | " + " | ".join(middle) + f" | {largest} |")
    names = dict.fromkeys(row["posterior"] for row in rows)
    lines += ["", "| posterior | pg.sample, 200 | NUTS, diagonal | NUTS, dense | NUTS (NumPyro) | of the best |"]
    lines.append("|---|---|---|---|---|---|")
    for name in names:
        price = prices(rows, name)
        best = min(list(price.values())[1:], default=np.nan)
        numbers = [f"{value:,.0f}" for value in price.values()]
        lines.append(f"| {name} | " + " | ".join(numbers) + f" | {price['pg.sample'] / best:.2f} |")
    return "\n".join(lines) + "\n"


def prices(rows: list[dict[str, Any]], name: str) -> dict[str, float]:
    """Gradients for 200 independent draws: the median of `pg.sample`, and NUTS with each metric."""
    these = [row for row in rows if row["posterior"] == name and row["particles"] == 200]
    methods = ("pg.sample", "NUTS, diagonal (BlackJAX)", "NUTS, dense (BlackJAX)", "NUTS (NumPyro)")
    found = {method: [row["gradients"] for row in these if row["method"] == method] for method in methods}
    return {method: float(np.median(values)) for method, values in found.items() if values}


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Left: W1 / floor with 50 particles, a dot a posterior. Right: gradients for 200 independent draws."""
    from particlegvi.plotting import style

    with style.slide_style():
        figure = style.new_slide()
        left, right = figure.subplots(1, 2, width_ratios=[1.0, 1.0])
        methods = ["pg.sample", "DRLE", "SVGD", "FD-GVI", "Pathfinder"]
        for place, method in enumerate(methods[::-1]):
            seen: dict[str, list[float]] = {}
            for row in rows:
                if (row["method"], row["particles"]) == (method, 50) and "diverged" not in row:
                    seen.setdefault(row["posterior"], []).append(row["W1 / floor"])
            values = np.sort([np.median(each) for each in seen.values()])
            left.plot(values, place + np.linspace(-0.25, 0.25, len(values)), "o", color="#0072B2", alpha=0.75)
        left.axvline(1.0, color="black", linestyle="--", linewidth=1.4)
        left.set_yticks(range(len(methods)), methods[::-1])
        left.set_xscale("log")
        left.set_xticks([1, 2, 3, 5, 10], ["1", "2", "3", "5", "10"])
        left.minorticks_off()
        left.set_xlabel("distance to the posterior\n(1: exact draws)")
        names = list(dict.fromkeys(row["posterior"] for row in rows))[::-1]
        left.set_title(f"50 particles, {len(names)} posteriors")
        for place, name in enumerate(names):
            price = prices(rows, name)
            best = min(list(price.values())[1:], default=np.nan)
            right.plot([price["pg.sample"], best], [place, place], color="0.8", linewidth=2.0, zorder=1)
            right.plot(price["pg.sample"], place, "o", color="#0072B2", label="pg.sample" if not place else None)
            right.plot(best, place, "s", color="#D55E00", label="NUTS, its best metric" if not place else None)
        right.set_yticks(range(len(names)), [name.split("-")[-1] for name in names], fontsize=9)
        right.set_xscale("log")
        right.set_xlabel("gradients for 200 independent draws")
        right.legend(loc="upper center", bbox_to_anchor=(0.5, 1.13), ncols=2)
        style.save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; all where left out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--no-jax", action="store_true", help="without NUTS and MEADS")
    chosen = parser.parse_args()
    if not folder().is_dir():
        sys.exit(f"there is no folder {folder()}: PARTICLEGVI_DATA names the one that holds posteriordb")
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for name, make in POSTERIORS.items():
        if chosen.names and not any(part in name for part in chosen.names):
            continue
        posterior = make()
        ruler = Ruler(posterior.reference)
        found = [row | {"particles": number} for number in NUMBERS for row in ours(posterior, ruler, number)]
        if not chosen.no_jax:
            import jax

            jax.config.update("jax_enable_x64", True)
            found += nuts(posterior, ruler)
        rows += [row | {"posterior": name} for row in found]
        print(name, flush=True)
        (chosen.out / "rows.json").write_text(json.dumps(rows, indent=0))
        (chosen.out / "table.md").write_text(table(rows))
    picture(rows, chosen.out / "posteriors.png")
    print(table(rows))


if __name__ == "__main__":
    main()
