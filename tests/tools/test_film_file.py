"""The path of a film is shown as the film."""

import base64

import pytest

from particlegvi.tools.film_file import FilmFile


@pytest.mark.parametrize(("suffix", "begins"), [(".gif", "<img"), (".apng", "<img"), (".mp4", "<video")])
def test_a_film_is_inside_what_a_notebook_shows(suffix, begins, tmp_path):
    path = FilmFile(tmp_path / f"a{suffix}")
    path.write_bytes(b"a film")
    shown = path._repr_html_()
    assert shown.startswith(begins) and base64.b64encode(b"a film").decode() in shown
    assert path == tmp_path / f"a{suffix}" and path.read_bytes() == b"a film"


def test_other_files_are_shown_as_paths(tmp_path):
    assert FilmFile(tmp_path / "missing.gif")._repr_html_() is None
    other = FilmFile(tmp_path / "a.txt")
    other.write_text("words")
    assert other._repr_html_() is None
