"""Inputs that atheris invents, guided by the lines of the package that run."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from pathlib import Path

from fuzzing.answers import warm_up
from fuzzing.targets import Target
from fuzzing.watching import Blind, Tally, Watch

# What atheris sees the lines of: not what numba compiles.
PARTS = (
    "losses.formulas", "scenario", "settings", "runs.storage", "runs.results", "tools.files",
    "tools.registry", "tools.quoting",
)  # fmt: skip
INSTRUMENTED = [f"particlegvi.{name}" for name in PARTS]


def by_atheris(target: Target, inputs: int, seed: int, folder: Path, report: Path) -> None:
    """Feed what atheris invents, guided by the lines that run; ends the process."""
    import atheris

    import particlegvi.simulation.loop  # first: numba cannot compile what is instrumented

    for module in ("losses", "kernels", "targets", "engine.terms.evaluate", "engine.terms.tape"):
        importlib.import_module(f"particlegvi.{module}")
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        import particlegvi.losses.formulas
        import particlegvi.runs.results  # noqa: F401
    answer, watch, tally = target.prepare(folder), Watch(folder), Tally()
    seeds = folder / "corpus"
    seeds.mkdir()
    warm_up()
    for number, data in enumerate(target.seeds(folder)):
        (seeds / str(number)).write_bytes(data)
        for part in (data[: len(data) // 2], data):
            with contextlib.suppress(ValueError):
                answer(part, Blind())
    (folder / "words").write_text(
        "\n".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"' for word in target.words)
    )

    def one(data: bytes) -> None:
        tally.feed(answer, data, watch)
        if tally.inputs == inputs or tally.inputs % 20_000 == 0:  # whatever ends the process, something is known
            report.write_text(json.dumps(tally.report("atheris")))

    arguments = [f"-atheris_runs={inputs}", f"-seed={seed + 1}"]
    arguments += [f"-max_len={target.longest}", "-verbosity=0", "-timeout=60"]
    atheris.Setup([sys.argv[0], *arguments, f"-dict={folder / 'words'}", str(seeds)], one)
    atheris.Fuzz()
