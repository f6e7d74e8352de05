"""Names that a package takes from its modules, and what to use instead of those that are gone.

The stub ``__init__.pyi`` of a package lists its names once, for type checkers as well.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

# In a stub: from MODULE import NAME as NAME, OTHER as PUBLIC
IMPORT = re.compile(r"^from (\S+) import (.+)$", re.MULTILINE)


# Public names of version 0.1.0 that are gone, with what to use instead. This table goes with version 0.3.0.
TABLE = 'run_table({"table": NAME, ...}, folder) takes the keys of a scenario'
RESULT = "the results of every table are a Table"
GONE = {  # by the package below particlegvi
    "diagnostics": {
        "entropy_nearest_neighbours": "entropy chooses the estimator",
        "entropy_spacings": "entropy chooses the estimator",
        "kernel_stein_discrepancy_squared": "square kernel_stein_discrepancy",
        "kolmogorov_smirnov_floor": "distances has the null quantiles of every distance",
        "limit_floor": "distances has the null quantiles of every distance",
        "line_floors": "distances has the null quantiles of every distance",
        "maximum_mean_discrepancy_squared": "square maximum_mean_discrepancy",
        "mmd_squared_to_prior": "free_energy has it as mmd_squared",
        "mode_fractions": "divide mode_occupancy by the number of particles",
        "nearest_mode": "mode_occupancy counts the particles around each mode",
        "prior_self_energy": "free_energy has mmd_squared, of which it was a part",
        "sliced_wasserstein_floor": "distances has the null quantiles of every distance",
    },
    "functionspace": {
        "NystroemRidge": "the mean of SparseGaussianProcess with the noise variance n * penalty is it",
        "SubsetOfData": "fit ExactGaussianProcess to some of the rows",
        "kl_terms": "kl of BayesianLinearRegression takes their names",
    },
    "methods": {"BirthDeath": "jumps = True takes particles of DLE and DRLE over barriers"},
    "scenario.tables": {
        **{f"{name}Settings": TABLE for name in ("Approximation", "Digits", "Ensemble", "Linear")},
        **{f"{name}Settings": TABLE for name in ("Projected", "Wasserstein")},
        **{f"{name}Table": RESULT for name in ("Approximation", "Digits", "Ensemble", "Linear")},
        **{f"{name}Table": RESULT for name in ("Projected", "Wasserstein")},
        "published": "TableSettings.of({}).declared.published(row, model, score) gives a printed number",
        "rows": "TableSettings.of({}).declared.rows has the printed rows",
    },
}


def missing(package: str, name: str) -> AttributeError:
    """The error, ready to raise, for a name that a package does not have."""
    remedy = GONE.get(package.removeprefix("particlegvi."), {}).get(name)
    words = f"; it is gone since version 0.2.0: {remedy}" if remedy else ""
    return AttributeError(f"module {package!r} has no attribute {name!r}{words}")


def attach(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """The function ``__getattr__`` of a package, which imports names at their first use, and the names in its stub.

    A name of the stub is an attribute of a module, or a module itself.
    """
    with open(os.path.join(sys.modules[package].__path__[0], "__init__.pyi"), encoding="utf-8") as stub:
        imports = IMPORT.findall(stub.read())
    places = {}
    for module, names in imports:
        for name, public in (pair.split(" as ") for pair in names.split(", ")):
            places[public] = module, name

    def get(name: str) -> Any:
        if name not in places:
            raise missing(package, name)
        module, attribute = places[name]
        value = None if module == package else vars(importlib.import_module(module)).get(attribute)
        if value is None:
            inner = f"{module}.{attribute}"
            try:
                value = importlib.import_module(inner)
            except ModuleNotFoundError as error:
                if error.name != inner:  # something that the module itself imports
                    raise
                raise AttributeError(f"module {package!r} has no attribute {name!r}: there is no {inner}") from None
        setattr(sys.modules[package], name, value)
        return value

    return get, list(places)


def bound(package: str) -> list[str]:
    """The names in the stub of a package, all of which are imported now, in the stub's order."""
    get, names = attach(package)
    for name in names:
        get(name)
    return names
