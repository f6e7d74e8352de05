"""The content of a page: settings that the browser simulates or the sentence why it cannot, presets, and words."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import kernels, losses, methods
from particlegvi.contracts import Facts, Kernel, Loss, Method, Prior, Start
from particlegvi.integrators.schedules import Schedule
from particlegvi.losses.checks import declared
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.methods.jumps import jumps_from
from particlegvi.pages.colours import Colours, colours_of
from particlegvi.pages.programs import NoProgram, program_of
from particlegvi.priors import Flat, Normal, Uniform
from particlegvi.simulation.problem import Settings
from particlegvi.tools import words

INTEGRATORS = ("euler-maruyama", "leimkuhler-matthews")
MOST_PARTICLES = {1: 10_000, 2: 1_000}
KINDS = {(False, False): "DE", (True, False): "DLE", (False, True): "DRE", (True, True): "DRLE"}  # by their weights
CLOSED_FORMS = ("auto", "closed-form")
WELL: Facts = {
    "loss": "tilted-double-well", "variables": "t", "prior": "normal:0:1", "initial": "", "integrator": "euler-maruyama"
}  # fmt: skip
SAME: Facts = WELL | {"seed": "0", "particles": 300, "lengthscale": 1.0, "variance": 1.0}
PRESETS: dict[str, Facts] = {
    "stuck": SAME | {"methods": "DE,DLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000},
    "too_cold": SAME | {"methods": "DLE", "kl_weight": 0.08, "mmd_weight": 0.5, "step_size": 0.005, "steps": 2000},
    "too_hot": SAME | {"methods": "DLE", "kl_weight": 8.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000},
    "large_step": SAME
    | {"methods": "DLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.3, "steps": 200, "loss": "2*t^2"},
    "four_particles": SAME
    | {"methods": "DLE,DRLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000, "particles": 4},
    "repulsion": SAME | {"methods": "DLE,DRLE", "kl_weight": 1.0, "mmd_weight": 5.0, "step_size": 0.002, "steps": 5000},
}


class Subject(NamedTuple):
    """The subject of a page, the same for a scenario and for runs; methods and their own integrators by label."""

    title: str
    source: str
    loss: Loss
    prior: Prior
    initial: Start | None
    methods: dict[str, Method]
    settings: Settings
    integrators: Mapping[str, str] = MappingProxyType({})
    modes: ArrayLike = ()  # where particles are counted
    colours: Mapping[str, str] = MappingProxyType({})  # chosen for figures, by label


class NotLive(Exception):
    """The browser cannot compute this flow; the argument is the key of the sentence that says why."""


def content(subject: Subject, language: str, live: bool = True) -> Facts:
    """The content of a page without a replay.

    Its entry "live" is true if the page shall be live and the browser can compute the flow; "why" says why it cannot.
    """
    said = words.of(language)
    found: Facts = {
        "title": said.title(subject.title),
        "source": said.source(subject.source),
        "watch": said("page.watch" if subject.loss.dim == 1 else "page.watch_plane"),
        "words": {**said.table("page"), "decimal": said.number(".")},
        "presets": [{"key": key, "settings": settings} for key, settings in PRESETS.items()],
        "colours": _colours(subject),
        "modes": np.asarray(subject.modes, dtype=np.float64).reshape(-1, subject.loss.dim).tolist() or None,
        "loss": None,
        "losses": known_losses(),
        "live": False,
        "why": "",
    }
    try:
        found["loss"] = loss_of(subject.loss)
        settings, types = _live_settings(subject)
        left_out = [label for label in subject.methods if page_label(label) not in types]
        found |= {"settings": settings, "methods": types, "live": live}
        if left_out:
            found["watch"] = " ".join([found["watch"], said("page.left_out", methods=", ".join(left_out))])
    except NotLive as reason:
        found["why"] = said(f"page.{reason}") if live else ""
    return found


def _colours(subject: Subject) -> Colours:
    """The colours of all methods of a subject, and of those that a live page can show beside them."""
    names = {page_label(label): method.label for label, method in subject.methods.items()}
    weights = {page_label(label): (float(m.kl_weight), float(m.mmd_weight)) for label, m in subject.methods.items()}
    kl, mmd = (next((pair[k] for pair in weights.values() if pair[k] > 0.0), 1.0) for k in (0, 1))
    kinds = {kind: (kl * has_noise, mmd * repels) for (has_noise, repels), kind in KINDS.items()}
    return colours_of(names, {kind: kind for kind in kinds}, subject.colours, kinds | weights)


def loss_of(loss: Loss) -> Facts:
    """A loss as data for the browser: its program and its names."""
    if not isinstance(loss, PackageLoss) or loss.dim > 2 or (loss.term is None and loss.formula is None):
        raise NotLive("why_loss")
    try:
        program = program_of(loss)
    except NoProgram:
        raise NotLive("why_loss") from None
    window = loss.plot_window or ((-3.5, 3.5),) * loss.dim
    known: Facts = {"variables": variables_of(loss), "dim": loss.dim, "window": [list(ends) for ends in window]}
    name = {"name": loss.name} if loss.formula is None else {"formula": loss.formula}
    return {**program, **known, **name}


@functools.cache
def known_losses() -> dict[str, Facts]:
    """The losses that a page offers by name: those that a browser can compute, with their default parameters."""
    found = {}
    for name in losses.names():
        with contextlib.suppress(NotLive):
            found[name] = loss_of(losses.get(name))
    return found


def variables_of(loss: Loss) -> list[str]:
    """The names of the coordinates: those of a formula, else Greek letters."""
    if isinstance(loss, PackageLoss) and loss.formula is not None:
        return loss.variables
    return ["\u03b8"] if loss.dim == 1 else ["\u03b8\u2081", "\u03b8\u2082"]


def _live_settings(subject: Subject) -> tuple[Facts, dict[str, str]]:
    """The settings that start the live page, and the kinds of the methods that the browser has, by label.

    Weights and kernel of the page are those of the first method that has them. Where those of methods differ, each has
    settings of its own, named ``LABEL.KEY``.
    """
    given = subject.settings
    integrators = {label: subject.integrators.get(label, given.integrator) for label in subject.methods}
    known = [label for label in subject.methods if integrators[label] in INTEGRATORS]
    if not known:
        raise NotLive("why_integrator")
    if isinstance(given.step_size, Schedule | Mapping):
        raise NotLive("why_schedule")
    prior = prior_of(subject.prior)
    initial: Facts | str = ""
    if isinstance(subject.initial, np.ndarray):
        initial = {"name": "points", "points": subject.initial.tolist()}
    elif subject.initial is not None:
        initial = prior_of(subject.initial)
    kinds = {label: kind for label in known if (kind := kind_of(subject.methods[label])) is not None}
    if not kinds:
        raise NotLive("why_method")
    all_weights = {label: _weights(subject, subject.methods[label]) for label in kinds}
    weights = {label: found for label, found in all_weights.items() if found is not None}
    if len(weights) < len(kinds) and not any("lengthscale" in found for found in weights.values()):
        raise NotLive("why_kernel")  # the browser could show the methods without repulsion alone
    integrator = integrators[next(iter(weights))]  # the page has one integrator for all methods
    weights = {label: found for label, found in weights.items() if integrators[label] == integrator}
    shared = {"kl_weight": 1.0, "mmd_weight": 0.5, "lengthscale": 1.0, "variance": 1.0}
    shared |= {"jump_every": 0, "jump_share": 0.1}
    for found in reversed(weights.values()):
        shared |= found
    own = {
        f"{page_label(label)}.{key}": value
        for label, found in weights.items() for key, value in found.items()
        if any(other.get(key, shared[key]) != shared[key] for other in weights.values())
    }  # fmt: skip
    settings = {
        "loss": "own",
        "variables": ",".join(variables_of(subject.loss)),
        "prior": prior,
        "initial": initial,
        **shared,
        **own,
        "step_size": float(given.step_size),  # type: ignore[arg-type]
        "particles": min(300 if given.particles is None else given.particles, MOST_PARTICLES[subject.loss.dim]),
        "steps": given.steps,
        "seed": str(given.seed),
        "integrator": integrator,
        "methods": ",".join(map(page_label, weights)),
    }
    return settings, {page_label(label): kinds[label] for label in weights}


def page_label(label: str) -> str:
    """A label for the page's list of methods, whose separator is the comma: another character replaces it."""
    return label.replace(",", "\u201a")


def _weights(subject: Subject, method: Method) -> dict[str, float] | None:
    """The weights of a method that are above 0, its jumps and kernel; None if the browser lacks that kernel."""
    found = {key: float(value) for key, value in (("kl_weight", method.kl_weight), ("mmd_weight", method.mmd_weight))}
    found = {key: value for key, value in found.items() if value > 0.0}
    if isinstance(method, FreeEnergy) and method.kl_weight > 0.0:
        jumps = jumps_from(method.jumps)
        found |= {"jump_every": 0} if jumps is None else {"jump_every": jumps.every, "jump_share": jumps.share}
    if method.mmd_weight > 0.0:
        kernel = _kernel(subject, method)
        if kernel.name != "squared-exponential":
            return None
        found |= {"lengthscale": float(kernel.lengthscale), "variance": float(declared(kernel, "variance", 1.0))}
    return found


def prior_of(prior: object) -> Facts:
    """A prior as data for the browser."""
    if isinstance(prior, Normal):
        return {"name": "normal", "mean": prior.mean.tolist(), "sd": prior.sd.tolist()}
    if isinstance(prior, Uniform):
        return {"name": "uniform", "low": prior.low.tolist(), "high": prior.high.tolist()}
    if isinstance(prior, Flat):
        return {"name": "flat"}
    raise NotLive("why_prior")


def kind_of(method: Method) -> str | None:
    """DE, DLE, DRE or DRLE by the weights of a plain `FreeEnergy`; None for every other method."""
    if not isinstance(method, FreeEnergy):
        return None
    if type(method) not in (FreeEnergy, *map(methods.get, KINDS.values())):  # a subclass may move in other ways too
        return None
    how = method.embedding if isinstance(method.embedding, str) else method.embedding.get("how")
    if method.mmd_weight > 0.0 and how not in CLOSED_FORMS:
        return None
    return KINDS[method.kl_weight > 0.0, method.mmd_weight > 0.0]


def _kernel(subject: Subject, method: Method) -> Kernel:
    """The kernel of the repulsion, its lengthscale a number."""
    start = subject.initial if isinstance(subject.initial, np.ndarray) else None
    if start is None and method.kernel is not None and isinstance(method.kernel.lengthscale, str):
        source = subject.initial if isinstance(subject.initial, Normal | Uniform) else subject.prior
        start = source.sample(subject.settings.particles or 300, seed=subject.settings.seed)
    kernel, _ = kernels.resolve(method.kernel, subject.prior, start, subject.settings.seed)
    return kernel
