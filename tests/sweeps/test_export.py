"""A sweep for other programs, and in a notebook."""

from __future__ import annotations

import numpy as np
import pytest

from ..test_notebook_tables import read


@pytest.mark.needs("pandas", "pyarrow", "xarray", "h5netcdf")
def test_every_suffix_holds_the_numbers(swept, tmp_path):
    import pandas
    import xarray

    for suffix in (".nc", ".csv", ".parquet", ".npz"):
        assert swept.export(tmp_path / f"a{suffix}") == tmp_path / f"a{suffix}"
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as found:
        before = swept.to_xarray()
        for name in before.data_vars:
            assert np.array_equal(found[name].values, before[name].values, equal_nan=found[name].dtype.kind == "f")
    rows = swept.to_dataframe()
    for found in (pandas.read_csv(tmp_path / "a.csv"), pandas.read_parquet(tmp_path / "a.parquet")):
        assert np.array_equal(found["w1"], rows["w1"], equal_nan=True) and len(found) == len(rows)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert set(arrays) == set(rows.columns)
    with pytest.raises(ValueError, match="exists already"):
        swept.export(tmp_path / "a.csv")


def test_a_notebook_shows_its_lines(swept):
    found = read(swept)
    assert "Sweep" in found.words and all(key in found.words for key in swept.over)
