"""Sphinx's settings for the book. It needs nothing from the network, neither now nor when read."""

import latex2mathml.converter
from docutils import nodes

import gpuedu

project = "gpuedu"
author = "The gpuedu contributors"
copyright = "The gpuedu contributors; texts under CC BY 4.0, code under MIT"
release = version = gpuedu.__version__
language = "en"

extensions = ["myst_parser", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]
autodoc_typehints = "none"
html_theme = "sphinx_book_theme"
html_title = "gpuedu"
html_static_path = ["static"]
html_css_files = ["cards.css", "book.css"]
html_extra_path = ["beside"]
html_sidebars = {"**": ["search-button-field.html", "sbt-sidebar-nav.html"]}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "repository_url": "<repository>",
    "use_repository_button": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def _inline(self, node):
    self.body.append(latex2mathml.converter.convert(node.astext()))
    raise nodes.SkipNode


def _block(self, node):
    formula = latex2mathml.converter.convert(node.astext(), display="block")
    self.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Formulas as MathML, which browsers draw themselves."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


html_math_renderer = "mathml"
