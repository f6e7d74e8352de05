"""The fitted model, and the mean log density of the data under it."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.functions.run import FunctionRun


@fact(10, ("method", "particles", "log_density", "run"), run=is_table)
def fit(run: FunctionRun) -> Facts:
    """The model, sizes, the mean log density of the data, and the facts that the fit states about itself."""
    X, y = run.problem.X, run.problem.y
    observed = run.problem.observed
    law = run.marginals(X) if observed is None else run.posterior.marginals(observed)
    count, dim = run.final.shape
    return {
        "method": run.method.name,
        "particles": count,
        "dim": dim,
        "observations": len(y),
        "steps": int(run.steps[-1]),
        "step_size": run.step_size,
        "log_density": float(law.log_predictive_density(run.problem.likelihood, y).mean()),
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
    }
