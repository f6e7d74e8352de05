"""Mean ranks of Table 4.1 of the thesis, as printed, and with the models of a computed table in it.

    python benchmarks/mean_ranks.py                                            the printed ranks
    python benchmarks/mean_ranks.py runs/uci-gaussian-wasserstein/table.json   also those of the run's models

A model takes the place of the printed GWI-net (GWI-SVGP its own); the seven other columns stay as printed. Scores are
rounded to the printed two digits, and equal scores share their ranks. FBNN and the exact process, which the thesis
leaves out of its ranks, are left out here, too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from particlegvi.scenario.tables.settings import declaration

COLUMNS = ("gwi-svgp", "gwi-net", "fvi", "vip-bnn", "vip-np", "bbb", "vdo", "alpha-dropout")
THESIS = (5.5, 2.06, 2.22, 3.33, 4.94, 7.0, 6.11, 4.83)

PRINTED = declaration("wasserstein")


def printed() -> np.ndarray:
    """The negative log-likelihoods, (rows, columns)."""
    pairs = [[PRINTED.published(row, column, "nll") for column in COLUMNS] for row in PRINTED.rows]
    return np.array([[pair[0] for pair in line if pair is not None] for line in pairs])


def main() -> None:
    scores = printed()
    ranks = np.mean([rankdata(line) for line in scores], axis=0)
    for column, rank, there in zip(COLUMNS, ranks, THESIS, strict=True):
        print(f"{column}: {rank:.2f}, in the thesis {there:.2f}")
    for path in map(Path, sys.argv[1:]):
        entries = json.loads(path.read_text())["entries"]
        for model in dict.fromkeys(m for row in entries.values() for m in row["nll"].get("standardised", {})):
            found = [entries.get(row, {}).get("nll", {}).get("standardised", {}).get(model) for row in PRINTED.rows]
            if all(entry is not None and "mean" in entry for entry in found):
                place = COLUMNS.index(model if model in COLUMNS else "gwi-net")
                lines = scores.copy()
                lines[:, place] = [round(entry["mean"], 2) for entry in found]
                print(f"{model}: {np.mean([rankdata(line)[place] for line in lines]):.2f}")


if __name__ == "__main__":
    main()
