"""The base of the kinds of scenario, and the kinds by name.

A kind turns a job into a run; it does not know the folders of runs.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from particlegvi.contracts import Facts, Progress, Record, Run, Scenario, StepProgress, Storage
from particlegvi.settings.keys import Key
from particlegvi.tools.registry import Registry

if TYPE_CHECKING:  # they import numpy
    from particlegvi.tools.export.columns import Columns
    from particlegvi.tools.export.writing import Arrays

Parts: TypeAlias = Any  # the result of `Kind.build`: each kind has its own class
Runs: TypeAlias = Mapping[str, Any]  # runs by label
Targets: TypeAlias = Any  # the result of `Kind.targets`: a mapping by label


class Job(NamedTuple):
    """The order to run one label of a scenario."""

    parts: Parts  # the result of `Kind.build` for the scenario
    scenario: Scenario  # the complete scenario
    label: str
    seed: int
    storage: Storage  # for records and snapshots of the run; in memory if the run has no folder
    folder: Path | None  # the folder of the run, for files of the kind
    progress: Progress | None

    @property
    def step_progress(self) -> StepProgress | None:
        """The progress of this label: a function of the number of finished steps and of all steps."""
        return None if self.progress is None else partial(self.progress, self.label)

    @contextmanager
    def files(self) -> Iterator[Path]:
        """A folder for files of the kind: that of the run, or a temporary one."""
        if self.folder is not None:
            yield self.folder
            return
        with tempfile.TemporaryDirectory(prefix="particlegvi-") as place:
            yield Path(place)


def check_particles(record: Record, particles: int) -> None:
    """Refuse a stored record of another number of particles than the scenario has."""
    stored = record.arrays["positions"].shape[1]
    if stored != particles:
        raise ValueError(f"its particles must be {particles} as in the scenario, not {stored}")


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Put the key before the sentence of a part about its parameters."""
    try:
        yield
    except (ValueError, TypeError) as error:
        from particlegvi.datasets import MissingData

        kind = MissingData if isinstance(error, MissingData) else ValueError
        raise kind(f"{key}: {error}") from None


class Kind:
    """A kind of scenario. It holds no state.

    Importing the class must be quick, because every reading of a scenario imports it. Slow imports stand inside the
    methods, or in modules that the methods of this base find by their names. For a class in the ``__init__.py`` of a
    folder they call

    - ``building.build(scenario)``;
    - ``simulating.simulate(job)`` and ``simulating.unpacked(job, record)``;
    - ``facts.facts``, the registry of the numbers of ``summary.json``;
    - ``table.COLUMNS``, the columns of the summary (`kinds.text_table.Column`), and ``table.describe(scenario,
      summary)``.

    A class that is alone in its file defines these methods itself.
    """

    name: str  # the value of ``kind`` in a scenario
    keys: dict[str, Key]  # the keys of such a scenario, in the order in which they are written
    smallest: str = ""  # a scenario file with the required keys only; without it, messages show none

    @property
    def methods(self) -> Mapping[str, Facts]:
        """The methods of a scenario that names none."""
        return {}

    def module(self, name: str) -> ModuleType:
        """The module of this name in the folder of the kind."""
        try:
            return importlib.import_module(f"{type(self).__module__}.{name}")
        except ModuleNotFoundError as error:
            if not error.name or not error.name.startswith(type(self).__module__):
                raise
            raise NotImplementedError(f"the kind of scenario {self.name} has no module {name}") from None

    def complete(self, scenario: Facts) -> list[str]:
        """Fill in the values that follow from other keys, before each key is checked; a phrase for each free choice."""
        return []

    def agree(self, scenario: Facts) -> None:
        """Refuse checked values that contradict each other, with a ValueError."""

    def labels(self, scenario: Scenario) -> list[str]:
        """The labels of the runs, in the order in which they are run."""
        return list(scenario["methods"])

    def build(self, scenario: Scenario) -> Parts:
        """The parts of a complete scenario; a ValueError if they do not fit together."""
        return self.module("building").build(scenario)

    def check(self, parts: Parts, scenario: Scenario, folder: Path | None) -> None:
        """Raise ValueError if the scenario cannot run on this machine: missing data, or a disk that is too small.

        ``folder`` is where the records go (None: to temporary files).
        """

    def simulate(self, job: Job) -> Run:
        """Run one label, from its start or from the snapshot in its storage."""
        run: Run = self.module("simulating").simulate(job)
        return run

    def packed(self, run: Any) -> Record:
        """The stored form of a run."""
        return Record({"positions": run.positions, "steps": run.steps}, run.info)

    def unpacked(self, job: Job, record: Record) -> Run:
        """The run of a stored record, which may be cut short; a ValueError or LookupError if something is missing."""
        run: Run = self.module("simulating").unpacked(job, record)
        return run

    def records(self, run: Run) -> int:
        """The number of records of the run; 0 for a run without steps."""
        return len(run.positions)

    def followed(self, run: Run, progress: Progress | None) -> Run:
        """The run with intermediate records; if only its end was stored, it is simulated again, with the same end."""
        return run

    def targets(self, runs: Runs, parts: Parts, before: Targets = None) -> Targets:
        """The target Q* by label, for the labels that have one.

        Equal targets are taken from ``before``, the targets of runs of these parts with another seed.
        """
        return {}

    def arrays(self, run: Run) -> Arrays:
        """The arrays of a run by name, for a file of numpy."""
        return dict(self.packed(run).arrays)

    def columns(self, runs: Runs, records: bool) -> Columns:
        """The rows of all runs for `results.to_dataframe`: a column for the label, and the columns of the runs."""
        from particlegvi.tools.export.columns import stacked

        return stacked({label: run.columns(records) for label, run in runs.items()}, "method")

    def facts(self, runs: Runs, label: str, scenario: Scenario, targets: Targets) -> Facts:
        """The numbers of one label in the summary."""
        numbers: Facts = self.module("facts").facts.compute(runs[label], {}, scenario.get("facts", ()))
        return numbers

    def checked(self, summary: Facts | None) -> Facts | None:
        """Check the form of a summary that was read from a file, and return it."""
        sound: Facts | None = self.module("facts").facts.checked(summary)
        return sound

    def describe(self, runs: Runs, scenario: Scenario, summary: Facts) -> str:
        """The summary as a table for a terminal, in plain ASCII."""
        return str(self.module("table").describe(scenario, summary))

    def rows(self, runs: Runs, summary: Facts) -> list[Facts]:
        """The summary as rows for any library of tables."""
        from particlegvi.scenario.kinds.text_table import rows

        return rows(self.module("table").COLUMNS, runs, summary)

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        """The table of a notebook as texts, the head first: the columns of `rows` that have a value in any row."""
        from particlegvi.scenario.kinds.text_table import cell

        rows = self.rows(runs, summary)
        names = [name for name in (rows[0] if rows else {}) if any(row[name] is not None for row in rows)]
        return [names or [""], *([cell(row[name]) for name in names] for row in rows)]

    def latex(self, runs: Runs, summary: Facts) -> str:
        """The table of a notebook in LaTeX."""
        from particlegvi.tools.export.latex import tabular

        return tabular(self.cells(runs, summary)) + "\n"

    def verdicts(self, summary: Facts) -> dict[str, tuple[bool | None, str]]:
        """By label, whether the run has reached its equilibrium (None if this is unknown), and the verdict in words."""
        said = {True: "equilibrium reached", False: "not in equilibrium"}
        known = {label: facts.get("equilibrium") for label, facts in summary["methods"].items()}
        return {
            label: (verdict["reached"], verdict.get("verdict") or said[bool(verdict["reached"])])
            for label, verdict in known.items()
            if verdict
        }

    def diverged(self, summary: Facts) -> dict[str, str]:
        """By label, the verdict of the runs whose particles have run away: they end as those that overflow."""
        known = {label: facts.get("equilibrium") or {} for label, facts in summary["methods"].items()}
        return {label: verdict["verdict"] for label, verdict in known.items() if verdict.get("rule") == "diverged"}

    def figure(self, runs: Sequence[Any]) -> str:
        """The kind of figure that ``plot()`` draws by default; a ValueError if there is none."""
        raise NotImplementedError(f"the kind of scenario {self.name} has no method figure")


_registry: Registry[type[Kind]] = Registry(__package__, "kind of scenario")
names, register = _registry.names, _registry.register


def has(name: object) -> bool:
    """Whether a kind has this name."""
    return name in _registry


def get(name: str) -> Kind:
    """The kind of this name; a ValueError if there is no such kind."""
    return _registry.get(name)()


def of(scenario: Scenario) -> Kind:
    """The kind of a complete scenario; "particles" if the scenario does not name a kind."""
    return get(scenario.get("kind", "particles"))


def build(scenario: Scenario) -> Any:
    """Build the parts of a complete scenario of any kind; a ValueError if they do not exist or do not fit together."""
    return of(scenario).build(scenario)
