"""Files for other programs: what is in them, what is refused, and what stays when something goes wrong."""

import sys

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import cli
from particlegvi.tools.errors import MissingLibrary, needed
from particlegvi.tools.export.columns import groups, unique
from particlegvi.tools.export.latex import latex

from ...refusals import refuse

pytestmark = pytest.mark.needs("pandas", "xarray", "h5netcdf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, exported):
    return exported.save(tmp_path_factory.mktemp("runs") / "run")


def test_every_suffix_holds_the_particles(folder, exported, tmp_path, capsys):
    for suffix in (".nc", ".csv", ".npz", ".tex"):
        assert cli.main(["export", str(folder), "--to", str(tmp_path / f"a{suffix}")]) == 0
        assert capsys.readouterr().out.strip() == str(tmp_path / f"a{suffix}")
    import pandas

    rows = exported.to_dataframe()
    from_csv = pandas.read_csv(tmp_path / "a.csv")
    assert from_csv.columns.tolist() == rows.columns.tolist()
    assert from_csv["theta"].to_numpy().tobytes() == rows["theta"].to_numpy().tobytes()
    assert from_csv["method"].tolist() == rows["method"].tolist()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert set(arrays) == {f"{label}.{name}" for label in exported for name in ("positions", "steps", "times")}
        assert arrays["DRLE.positions"].tobytes() == exported["DRLE"].positions.tobytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.nc", "a.npz", "a.tex"]
    lines = (tmp_path / "a.tex").read_text().splitlines()
    assert [line.split(" &")[0] for line in lines[2:]] == [
        "method",
        r"\midrule",
        *exported,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_nothing_is_overwritten_unless_that_is_said(folder, tmp_path, capsys):
    place = tmp_path / "mine.csv"
    place.write_text("my own notes")
    line = ["export", str(folder), "--to", str(place)]
    assert cli.main(line) == 2
    assert "exists already; choose another name, or say --overwrite" in capsys.readouterr().err
    assert place.read_text() == "my own notes"
    assert cli.main([*line, "--overwrite", "--records"]) == 0
    lines = place.read_text().splitlines()
    assert lines[0] == "method,record,time,particle,theta" and len(lines) == 1 + 3 * 41 * 60
    (tmp_path / "folder.nc").mkdir()
    assert cli.main(["export", str(folder), "--to", str(tmp_path / "folder.nc"), "--overwrite"]) == 2


def test_an_unknown_suffix_is_one_sentence(folder, tmp_path, capsys):
    for name in ("a.txt", "a", "a.CSV", ".nc", "a.nc.gz"):
        assert cli.main(["export", str(folder), "--to", str(tmp_path / name)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "--to must be a file that ends in .nc, .csv, .npz or .tex, not" in said
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file(exported, tmp_path, monkeypatch):
    place = tmp_path / "old.npz"
    place.write_text("old")

    def full(path, **arrays):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    full_disk = "old.npz cannot be written: No space left on device"
    refuse(lambda: exported.export(place, overwrite=True), full_disk)
    assert place.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["old.npz"]


def test_csv_and_numpy_need_no_extra(folder, tmp_path, monkeypatch):
    for name in ("xarray", "pandas", "h5netcdf"):
        monkeypatch.setitem(sys.modules, name, None)
    for suffix in (".csv", ".npz"):
        assert pg.load(folder).export(tmp_path / f"a{suffix}").is_file()
    with pytest.raises(ImportError, match="a data frame needs pandas: pip install"):
        pg.load(folder).to_dataframe()
    with pytest.raises(MissingLibrary, match="needs no_such_library and nor_this: pip install 'particlegvi\\[all\\]'"):
        needed("this", "all", "no_such_library", "math", "nor_this")


def test_the_tables_of_a_text_in_latex():
    markdown = "# A & B\n\n| by `x_1` | w1 |\n| --- | --- |\n| 5% | 0.1 +- 0.2 |\n"
    assert latex(markdown).splitlines() == [
        r"% # A & B", "", r"\begin{tabular}{lr}", r"\toprule", r"by `x\_1` & w1 \\", r"\midrule",
        r"5\% & 0.1 $\pm$ 0.2 \\", r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["DE", "kl 0.1", "λ = 1"], ["DE", "kl 0.1", "λ = 1"]),
        (["a/b", "a_b"], ["a_b", "a_b_"]),
        (["truth"], ["truth_"]),
        (["", ".", "..", " "], ["run_", "run._", "run.._", "run__"]),
    ],
)
def test_a_group_has_a_name_that_a_file_can_have(labels, names):
    assert groups(labels, ["truth"]) == dict(zip(labels, names, strict=True))
    assert unique(["a", "b", "a", "a_"], ["b"]) == ["a", "b_", "a_", "a__"]
