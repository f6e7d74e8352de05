"""NUTS and MEADS on posteriors of posteriordb: what `rivals_on_posteriors.py` compares with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from posteriors import Posterior

Array = np.ndarray
NUMBERS = (10, 50, 200)
NUTS_LABELS = ("NUTS, diagonal (BlackJAX)", "NUTS, dense (BlackJAX)", "NUTS (NumPyro)")


def inside_of(posterior: Posterior, ruler: Any) -> tuple[Any, Any]:
    """The log density of one point for JAX, and a point inside of the posterior."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return lambda point: -posterior.value(point[None])[0], jax.numpy.array(ruler.mean + 0.1 * ruler.sd)


def blackjax_nuts(posterior: Posterior, ruler: Any, label: str) -> Iterator[dict[str, Any]]:
    """NUTS of BlackJAX at every number of particles; gradients to 200 effective draws."""
    import blackjax
    import jax

    log_density, inside = inside_of(posterior, ruler)

    def sampled(key: Any) -> Any:
        diagonal = label == NUTS_LABELS[0]
        adaptation = blackjax.window_adaptation(blackjax.nuts, log_density, is_mass_matrix_diagonal=diagonal)
        (state, tuned), told = adaptation.run(key, inside, num_steps=1000)
        kernel = blackjax.nuts(log_density, **tuned)

        def body(state: Any, key: Any) -> Any:
            state, info = kernel.step(key, state)
            return state, (state.position, info.num_integration_steps)

        kept = jax.lax.scan(body, state, jax.random.split(key, 1000))[1]
        return told.info.num_integration_steps.sum(), kept

    (warm, (draws, steps)), seconds = timed(jax.jit(sampled))
    yield from chain(ruler, label, np.array(draws), int(warm), np.array(steps), seconds)


def numpyro_nuts(posterior: Posterior, ruler: Any) -> Iterator[dict[str, Any]]:
    """NUTS of NumPyro with its defaults; it compiles in each call."""
    from numpyro.infer import MCMC, NUTS

    log_density, inside = inside_of(posterior, ruler)
    run = MCMC(NUTS(potential_fn=lambda point: -log_density(point)), num_warmup=1000, num_samples=1000,
               progress_bar=False)  # fmt: skip

    def sampled(key: Any) -> Any:
        run.warmup(key, init_params=inside, extra_fields=("num_steps",), collect_warmup=True)
        warm = int(np.sum(run.get_extra_fields()["num_steps"]))
        run.run(key, init_params=inside, extra_fields=("num_steps",))
        return warm, (np.array(run.get_samples()), np.array(run.get_extra_fields()["num_steps"]))

    (warm, (draws, steps)), seconds = timed(sampled, calls=1)
    yield from chain(ruler, NUTS_LABELS[2], draws, warm, steps, seconds)


def meads(posterior: Posterior, ruler: Any) -> Iterator[dict[str, Any]]:
    """MEADS of BlackJAX with as many chains as the largest number of particles, in four folds."""
    import blackjax
    import jax

    log_density, _ = inside_of(posterior, ruler)
    chains = NUMBERS[-1]
    places = jax.numpy.array(posterior.reference[:: len(posterior.reference) // chains][:chains])

    def sampled(key: Any) -> Any:
        adapted = blackjax.meads_adaptation(log_density, num_chains=chains, low_rank_rank=places.shape[1])
        (states, tuned), _ = adapted.run(key, places, num_steps=2000)
        kernel = blackjax.ghmc(log_density, **tuned)

        def move(states: Any, key: Any) -> Any:
            return jax.vmap(kernel.step)(jax.random.split(key, chains), states)[0], None

        return jax.lax.scan(move, states, jax.random.split(key, 500))[0].position

    draws, seconds = timed(jax.jit(sampled))
    row = ruler.row(np.array(draws))
    yield {"method": "MEADS (BlackJAX)", "particles": chains, "gradients": 2500 * chains, **seconds, **row}


def timed(sampled: Any, calls: int = 2) -> tuple[Any, dict[str, float]]:
    """The result of the first call; the seconds of the first call, and of a second one with another key."""
    import jax

    seconds, results = [], []
    for seed in range(calls):
        began = time.perf_counter()
        results.append(jax.block_until_ready(sampled(jax.random.PRNGKey(seed))))
        seconds.append(time.perf_counter() - began)
    return results[0], dict(zip(("seconds", "seconds, compiled"), seconds, strict=False))


def chain(ruler: Any, label: str, draws: Array, warm: int, steps: Array, seconds: dict) -> Iterator[dict[str, Any]]:
    """N of the draws of a chain, evenly apart; gradients until they are worth N independent ones."""
    import arviz

    worth = float(np.min(arviz.ess(arviz.convert_to_dataset(draws[None]))["x"].values))
    per_draw = float(np.sum(steps)) / worth
    for number in NUMBERS:
        chosen = draws[:: len(draws) // number][:number]
        yield {"method": label, "particles": number, "gradients": round(warm + number * per_draw), "warm-up": warm,
               **seconds, **ruler.row(chosen)}  # fmt: skip
