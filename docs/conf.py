"""How the documentation site is built: ``make docs``.

The source folder is the repository, so that a link between two pages is the same on the site and on the code host.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

from oas._version import __version__

project = "oas-scheduling"
author = "The oas-scheduling authors"
copyright = author
release = version = __version__

extensions = [
    "commands",
    "formulation",
    "library",
    "mathml",
    "myst_parser",
    "notebooks",
    "schemas",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
root_doc = "docs/index"
include_patterns = ["docs/**", "benchmarks/results/*.md", "notebooks/*.ipynb", *PAGES]
exclude_patterns = [".*", "build", "tests", "oas", "heuristics"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # CHANGELOG and results begin where they like

default_role = "py:obj"  # the docstrings' `name`
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

smartquotes = False  # two hyphens are two hyphens in options

html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_extra_path = ["root"]  # index.html, which leads to docs/index.html
html_copy_source = False
html_show_sphinx = False
