"""The report of the doctor: as data for a program, and as lines for a person.

Its self-test is a run of a hundred steps whose bits are known: the same on every machine, or something is wrong.
"""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from typing import NamedTuple

import numpy as np

from particlegvi import losses, methods, priors
from particlegvi.cli.doctor import cache
from particlegvi.contracts import Facts
from particlegvi.engine.numerics import threads
from particlegvi.simulation.loop import simulate
from particlegvi.tools import machine as systems
from particlegvi.tools.registry import from_outside
from particlegvi.tools.sources import versions

BASE = ("matplotlib", "llvmlite", "joblib", "threadpoolctl", "tomli-w", "tqdm", "shtab", "filelock")
STEPS, PARTICLES = 100, 4
# The final particles of that run: 100 steps of DLE on the loss of Figure 5.2 from N(0, 1), seed 0.
KNOWN = (
    "-0x1.a413dcfc06d42p+0",
    "0x1.5d0e4c7c37c96p-1",
    "0x1.1990dd2ae147dp+0",
    "-0x1.0162bdd0b431cp+0",
)


def report() -> Facts:
    """Everything: ``versions``, ``extras``, ``system``, ``threads``, ``parts`` (of others), ``cache``, ``self_test``.

    Sizes are in bytes; None in ``extras`` is what is not installed.
    """
    outcome = self_test()  # compiles, so that the cache is looked at afterwards
    compiled = cache.contents()
    return {
        "versions": versions() | {name: _version(name) for name in BASE},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in _extras().items()},
        "system": {
            "platform": platform.platform(),
            "machine": platform.machine(),
            "processor": systems.processor(),
            "processors": os.cpu_count(),
            "linear_algebra": systems.linear_algebra(),
        },
        "threads": {"number": threads.count(), "layer": "threads of Python, one pool"},
        "parts": [part._asdict() for part in from_outside()],
        "cache": {**compiled._asdict(), "folder": str(compiled.folder)},
        "self_test": outcome._asdict(),
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _extras() -> dict[str, list[str]]:
    """The libraries of each extra, from what the package says of itself; none where it is not installed."""
    libraries: dict[str, list[str]] = {}
    try:
        wanted = metadata.requires("particlegvi") or []
    except metadata.PackageNotFoundError:
        wanted = []
    for line in wanted:
        needed, _, condition = line.partition(";")
        extra = condition.partition("extra ==")[2].strip().strip("\"'")
        if extra and extra != "test":
            libraries.setdefault(extra, []).append(needed.split()[0].split(">")[0].split("<")[0].split("=")[0])
    return libraries


def lines(facts: Facts) -> list[str]:
    """The report for a person, in plain ASCII."""
    compiled, outcome, system = facts["cache"], facts["self_test"], facts["system"]
    good, bad = ([part for part in facts["parts"] if bool(part["problem"]) is wrong] for wrong in (False, True))
    size = f"{compiled['bytes'] / 1e6:.1f} MB of {compiled['versions']} versions of the sources"
    rows = [
        ("versions", ", ".join(f"{name} {version}" for name, version in facts["versions"].items())),
        *(
            (f"extra {extra}", ", ".join(f"{name} {version or 'not installed'}" for name, version in libraries.items()))
            for extra, libraries in facts["extras"].items()
        ),
        ("system", system["platform"]),
        ("processor", f"{system['processor']}, {system['processors']} processors"),
        ("linear algebra", system["linear_algebra"]),
        ("threads", f"{facts['threads']['number']} ({facts['threads']['layer']})"),
        ("compiled code", f"{compiled['folder']}: {compiled['kernels']} kernels; {size}"),
        ("", "it can be written" if compiled["writable"] else "IT CANNOT BE WRITTEN: every process compiles anew"),
        *(("part of others", f"{part['kind']} {part['name']} of {part['origin']}") for part in good),
        *(("PART NOT USED", f"{part['kind']} {part['name']} of {part['origin']}: {part['problem']}") for part in bad),
        ("self-test", f"{'passed' if outcome['passed'] else 'FAILED'} in {outcome['seconds']:.1f} s"),
    ]
    if not outcome["passed"]:
        rows += [("  expected", " ".join(outcome["expected"])), ("  found", " ".join(outcome["found"]))]
    width = max(len(name) for name, _ in rows)
    return [f"{name:{width}}  {words}" for name, words in rows]


class Finding(NamedTuple):
    """The result of the self-test."""

    passed: bool
    found: tuple[str, ...]  # the final particles, as `float.hex` writes them
    expected: tuple[str, ...]
    seconds: float


def self_test(expected: tuple[str, ...] = KNOWN) -> Finding:
    """Run the hundred steps and compare each bit of the final particles with the numbers in this file."""
    begun = time.perf_counter()
    run = simulate(
        losses.get("tilted-double-well"), methods.DLE(kl_weight=1.0), priors.Normal(0.0, 1.0), particles=PARTICLES,
        steps=STEPS, step_size=1e-2, seed=0, record_every=0,
    )  # fmt: skip
    bits = tuple(float(place).hex() for place in np.ravel(run.final))
    return Finding(bits == expected, bits, expected, time.perf_counter() - begun)
