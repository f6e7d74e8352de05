"""Public names of version 0.1.0 that are gone, with what to use instead. This table goes with version 0.3.0."""

from __future__ import annotations

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
