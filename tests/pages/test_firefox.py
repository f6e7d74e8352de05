"""A page in Firefox, where it is installed: its picture of a page has its size, and what the page draws is in it."""

import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

import particlegvi as pg

FIREFOX = next((found for name in ("firefox", "firefox-esr") if (found := shutil.which(name))), None)
pytestmark = [pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed"), pytest.mark.thorough]


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
@pytest.mark.parametrize("name", ["global-minimiser", "multimodal", "prior-draws"])
def test_firefox_draws_the_page(tmp_path, name, size):
    """The control is a page without its script: a title, and no picture."""
    page = pg.page(name)
    page.save(tmp_path / "page.html")
    (tmp_path / "still.html").write_text(page.html.replace("<script>", "<script>return;"), encoding="utf-8")
    shares = []
    for which in ("page", "still"):
        (tmp_path / f"{which}-profile").mkdir()
        subprocess.run(
            [FIREFOX, "--headless", "--no-remote", "--profile", str(tmp_path / f"{which}-profile"),
             f"--window-size={size[0]},{size[1]}", "--screenshot", str(tmp_path / f"{which}.png"),
             (tmp_path / f"{which}.html").as_uri()],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        picture = np.asarray(Image.open(tmp_path / f"{which}.png").convert("RGB")).astype(int)
        assert picture.shape[1::-1] == size
        coloured = np.ptp(picture, axis=2) > 60  # dots, bars and functions; words and lines are grey
        shares.append(coloured.mean())
    assert shares[0] > 0.004 and shares[1] == 0.0
