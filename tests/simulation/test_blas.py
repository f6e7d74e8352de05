"""Particles have the same bytes with other kernels of BLAS; a repulsion by matrix products has not, and says so."""

import os
import subprocess
import sys

import pytest

RUNS = """
import hashlib
import numpy as np
import particlegvi as pg

def bowl(dim):
    return pg.losses.get("quadratic", curvature=[1.0] * dim, centre=[0.0] * dim)

def told(method, dim, particles):
    prior = pg.priors.Normal([0.0] * dim, [1.0] * dim)
    run = pg.simulate(bowl(dim), method, prior, particles, 5, 0.05, record_every=0)
    print(hashlib.sha256(run.final.tobytes()).hexdigest(), *run.info.get("repulsion", ()), sep=",")

kernel = pg.kernels.SquaredExponential(0.5)
told(pg.methods.DRLE(0.5, 0.5, kernel, jumps={"every": 1}), 1, 50)
told(pg.methods.DRLE(0.5, 0.5, kernel), 2, 6000)
told(pg.methods.SVGD(0.5, kernel), 2, 50)
told(pg.methods.DRE(0.5, kernel), 20, 400)
"""


@pytest.mark.thorough
def test_only_matrix_products_depend_on_the_kernels_of_blas():
    found = []
    for core in ("Haswell", "Nehalem"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": core}
        done = subprocess.run([sys.executable, "-c", RUNS], env=environment, capture_output=True, text=True, check=True)
        found.append(done.stdout.splitlines())
    assert "Chebyshev boxes" in found[0][1] and "by matrix products" in found[0][-1]
    assert found[0][:-1] == found[1][:-1]
    if found[0] == found[1]:  # else the last run is the control
        pytest.skip("the library of linear algebra has one set of kernels here")
