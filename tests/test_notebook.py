"""Notebooks in a real Jupyter kernel: that of the docs, and a small one."""

import pytest

from .sources import script

pytestmark = pytest.mark.needs("nbclient", "nbformat", "ipykernel")


def shown(outputs, kind):
    return next((each.data[kind] for each in outputs if kind in each.get("data", {})), "")


def test_a_small_notebook_shows_tables_pictures_and_a_bar(root, tmp_path):
    from nbformat import v4, write

    cells = [
        "import particlegvi as pg\n"
        "loss, prior = pg.losses.get('double-well'), pg.priors.Normal(0.0, 1.0)\n"
        "run = pg.simulate(loss, pg.methods.DLE(1.0), prior, 50, 200, 1e-3, progress=True)\n"
        "run",
        "run.plot()",
        "from particlegvi.tools import progress; progress.in_notebook(), progress.automatic()",
    ]
    write(v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells]), tmp_path / "small.ipynb")
    after = script(root / "docs" / "notebook.py").executed(tmp_path / "small.ipynb", tmp_path)
    found = [cell.outputs for cell in after.cells]
    assert not [each for each in found[0] if each.get("name") == "stderr"]
    lines = [each.data["text/plain"] for each in found[0] if each.output_type == "display_data"]
    assert lines == [""]  # the line of the bar, which is empty when the run is done
    assert '<svg width="200" height="40"' in shown(found[0], "text/html")
    assert shown(found[1], "image/png") and "(True, 'notebook')" in shown(found[2], "text/plain")


@pytest.mark.slow
@pytest.mark.needs("arviz", "h5netcdf")
def test_the_notebook_of_the_docs_runs_and_shows_what_is_kept(root, tmp_path):
    import nbformat

    before = nbformat.read(root / "docs" / "notebook.ipynb", as_version=4)
    page = script(root / "docs" / "notebook.py")
    after = page.executed(root / "docs" / "notebook.ipynb", tmp_path)
    cells = [pair for pair in zip(before.cells, after.cells, strict=True) if pair[0].cell_type == "code"]
    assert len(cells) > 10
    for old, new in cells:
        was, now = page.lasting(old.outputs), page.lasting(new.outputs)
        kinds = [[sorted(each.get("data", {})) for each in outputs] for outputs in (now, was)]
        assert kinds[0] == kinds[1], old.source
        assert shown(now, "text/plain") == shown(was, "text/plain"), old.source
    assert {path.name for path in tmp_path.iterdir()} >= {"film.gif", "temperatures.nc"}
