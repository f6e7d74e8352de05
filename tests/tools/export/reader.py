"""Reads a file that `to_netcdf` wrote with the ArviZ of this environment, whichever it is: R-hat and ESS."""

import warnings

import numpy as np


def read(path, group):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz
        import xarray

        tree = xarray.open_datatree(path, engine="h5netcdf")[group]
        old = int(arviz.__version__.split(".")[0]) < 1
        data = arviz.from_datatree(tree) if old else tree
        table = arviz.summary(data)
        r_hat, size = arviz.rhat(data, method="rank"), arviz.ess(data, method="bulk")
    if not old:  # trees with the group posterior in 1.x
        r_hat, size = (each["posterior"].dataset if "posterior" in each.children else each for each in (r_hat, size))
    return {
        "arviz": arviz.__version__,
        "r_hat": np.asarray(r_hat["position"]).tolist(),
        "effective_sample_size": np.asarray(size["position"]).tolist(),
        "rows": [str(row) for row in table.index],
        "attributes": {key: str(value) for key, value in tree["posterior"].attrs.items()},
    }
