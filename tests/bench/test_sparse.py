"""The bound that is timed against GPflow's is the same number."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.bench import sparse
from particlegvi.functionspace import covariances
from particlegvi.functionspace.selection.elbo import CollapsedBound


@pytest.mark.slow
def test_gpflow_computes_the_same_bound():
    pytest.importorskip("gpflow")
    X, y = sparse.problem(300)
    ours = CollapsedBound(covariances.SquaredExponential(np.full(sparse.DIM, 2.0), 1.0), X, y, sparse.NOISE)
    theirs = sparse.gpflow_bound(X, y, X[: sparse.POINTS])()
    assert ours.everywhere(X[: sparse.POINTS])[0] == pytest.approx(theirs, rel=1e-4)


def test_the_workload_does_its_work():
    assert [each.name for each in sparse.elbo_gradient(True)][0] == "particlegvi"
    sparse.elbo_gradient(True)[0].work()
