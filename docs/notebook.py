"""Execute docs/notebook.ipynb and keep what its cells show: `python docs/notebook.py`.

Times are left out, and so are bars and warnings of other packages, which a terminal would have shown.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOTEBOOK = HERE / "notebook.ipynb"


def executed(path: Path, folder: Path, timeout: int = 300) -> Any:
    """The notebook with the outputs of its cells, run in a folder by a kernel that sees the installed package alone."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(folder)}}
    return NotebookClient(
        notebook, timeout=timeout, kernel_name="python3", record_timing=False, resources=place
    ).execute()


def lasting(outputs: list[Any]) -> list[Any]:
    """Outputs but streams of errors, and but the empty line of a bar, which only a slow machine has."""
    return [each for each in outputs if each.get("name") != "stderr" and each.get("data") != {"text/plain": ""}]


def kept(notebook: Any) -> Any:
    """The notebook with lasting outputs, and with small pictures."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = lasting(cell.outputs)
            for data in (each.get("data", {}) for each in cell.outputs):
                if "image/png" in data:
                    data["image/png"] = smaller(data["image/png"])
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def smaller(picture: str) -> str:
    """A PNG in base64, 1000 pixels wide and in 64 colours."""
    import base64
    import io

    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        size = 1000, round(1000 * image.height / image.width)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(64)
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


if __name__ == "__main__":
    import nbformat

    with tempfile.TemporaryDirectory() as place:
        nbformat.write(kept(executed(NOTEBOOK, Path(place))), NOTEBOOK)
