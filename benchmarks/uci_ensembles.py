"""The results of the protocol "standard" of the table `uci-ensembles`, from its folder, whole or not.

    particlegvi run uci-ensembles --out DIR     # about 18 minutes on two processors; `particlegvi resume DIR` goes on
    python benchmarks/uci_ensembles.py DIR [--into docs/appendix/table-5-1.md]

Prints the tables of docs/appendix/table-5-1.md, of the splits that every model of a row has finished, and one line for
each of what the networks have to show; ``--into`` puts the tables between the two marks of a page. It exits with 1
where one of these is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from particlegvi.scenario import load
from particlegvi.scenario.tables import Table, TableSettings, Task
from particlegvi.scenario.tables.running import with_any_settings
from particlegvi.scenario.tables.settings import KEYS
from particlegvi.tools.cells import Store

STANDARD = "standard"
NETWORKS = ("de", "dle", "drle", "drle-outputs")
ASKED = (("concrete", "rmse", 5.6), ("concrete", "nll", 3.25), ("kin8nm", "rmse", 0.095))  # at most, of each ensemble
COVERED = (0.84, 0.97)
BEGIN, END = "<!-- python benchmarks/uci_ensembles.py: begin -->\n", "<!-- end -->\n"


def finished(folder: Path, settings: TableSettings) -> Table:
    """The cells of splits that every model of a row has finished."""
    store, scores = Store(folder, "scores"), {}
    for row in settings.rows:
        for split in settings.splits_of(row):
            cells = [Task(row, model, STANDARD, split) for model in settings.models]
            found = {cell: scores for cell in cells if (scores := with_any_settings(store, cell)) is not None}
            scores.update(found if len(found) == len(cells) else {})
    return Table(settings, scores)


def digits(table: Table, row: str, metric: str) -> int:
    """Places behind the point: three digits of an error, two places of everything else, one of the thesis's score."""
    entry = table.entry(row, "linear", STANDARD, metric)
    if metric == "rmse" and entry is not None:
        return max(2, 2 - math.floor(math.log10(entry.mean)))
    return 1 if metric == "nll_spread" else 2


def means(table: Table, metric: str, models: tuple[str, ...]) -> list[str]:
    """The means over splits."""
    head = f"| {' | '.join(['', 'splits', *(table.declared.label(model) for model in models)])} |"
    lines = [f"{table.declared.scores[metric]}, mean over the splits:", "", head, "|---" * (2 + len(models)) + "|"]
    for row in table.settings.rows:
        entries = [table.entry(row, model, STANDARD, metric) for model in models]
        shown = ["-" if e is None else f"{e.mean:.{digits(table, row, metric)}f}" for e in entries]
        splits = max((e.splits for e in entries if e is not None), default=0)
        lines.append(f"| {' | '.join([row, str(splits), *shown])} |")
    return [*lines, ""]


def differences(table: Table, metric: str) -> list[str]:
    """Paired differences to DE with their standard errors."""
    others = ("dle", "drle", "drle-outputs", "gp")
    head = f"| {' | '.join(['', *(table.declared.label(model) for model in others)])} |"
    title = f"{table.declared.scores[metric]}, difference to DE on the same splits and its standard error:"
    lines = [title, "", head, "|---" * (1 + len(others)) + "|"]
    for row in table.settings.rows:
        places = digits(table, row, metric) + 1
        gaps = [table.paired(row, model, STANDARD, metric) for model in others]
        shown = ["-" if gap is None else f"{gap[0]:+.{places}f} ± {gap[1]:.{places}f}" for gap in gaps]
        lines.append(f"| {' | '.join([row, *shown])} |")
    return [*lines, ""]


def verdicts(table: Table) -> tuple[list[str], bool]:
    """The goals, the results, and whether all goals are met."""
    lines, good = [], True
    for row, metric, most in ASKED:
        entries = {model: table.entry(row, model, STANDARD, metric) for model in NETWORKS}
        values = {
            table.declared.label(model): round(entry.mean, 4) for model, entry in entries.items() if entry is not None
        }
        met = bool(values) and max(values.values()) <= most
        good &= met
        lines.append(f"{'met' if met else 'MISSED'}: {row} {metric} at most {most}: {values}")
    covered = {
        (row, table.declared.label(model)): entry.mean
        for row in table.settings.rows
        for model in NETWORKS
        if (entry := table.entry(row, model, STANDARD, "coverage_90")) is not None
    }
    if covered:
        ends = [pick(covered, key=lambda each: covered[each]) for pick in (min, max)]
        met = all(COVERED[0] <= covered[end] <= COVERED[1] for end in ends)
        good &= met
        words = " to ".join(f"{covered[end]:.3f} ({', '.join(end)})" for end in ends)
        lines.append(f"{'met' if met else 'MISSED'}: 90% intervals cover {COVERED[0]} to {COVERED[1]}: {words}")
    return lines, good


def main() -> int:
    """The tables and the verdicts of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--into", type=Path, metavar="PAGE", help="put the tables between the marks of this page")
    chosen = parser.parse_args()
    complete = load(str(chosen.folder / "scenario.toml"))
    settings = TableSettings.of({key: value for key, value in complete.items() if key in KEYS})
    table = finished(chosen.folder, settings)
    lines = means(table, "rmse", settings.models) + differences(table, "rmse")
    lines += means(table, "nll", settings.models) + differences(table, "nll")
    lines += means(table, "coverage_90", settings.models) + means(table, "nll_spread", NETWORKS)
    text = "\n".join(lines) + "\n"
    if chosen.into is None:
        print(text)
    else:
        before, _, rest = chosen.into.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        if not after:
            parser.error(f"{chosen.into} has no two marks")
        chosen.into.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")
    said, good = verdicts(table)
    print("\n".join(said))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
