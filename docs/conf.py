"""The site: `pip install -e '.[docs]'`, then `python -m sphinx -W -b html docs html`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from particlegvi.version import __version__

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "site")]  # for public_names.py and the extensions

project = "particlegvi"
author = copyright = "The particlegvi developers"
version = release = __version__
html_title = "particlegvi"

extensions = [
    "myst_parser",
    "sphinx_gallery.gen_gallery",  # before the contents, which list its pages
    "sphinx_external_toc",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "site_formulas",
    "site_labels",
    "site_outside",
    "site_reference",
]
exclude_patterns = ["html", "site", "examples"]
external_toc_path = "_toc.yml"

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
smartquotes = False  # "full" is an argument, not a quotation
toc_object_entries_show_parents = "hide"

# Docstrings: a word between single backticks is a name of the package where there is one, and plain code where not.
default_role = "name"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # site_reference.py lists them

# Examples: their programs run while the site is built, and their figures are those of the package or of pyplot.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("site_gallery", "matplotlib"),  # in this order: the second closes its figures
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # its page asks other servers for scripts
    "abort_on_example_error": True,
}
suppress_warnings = ["etoc.toctree"]  # the index of the examples has one, which the contents replace
warnings.filterwarnings("ignore", "DLE: (not yet at equilibrium|metastable)")  # the examples print these verdicts
warnings.filterwarnings("ignore", r"\s*ArviZ is undergoing", FutureWarning)  # would print a path into an example

html_theme = "furo"
html_theme_options = {"navigation_with_keys": True}
html_show_sourcelink = False
html_math_renderer = "mathml"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
