"""What nbgrader shows of a learner's code is colored in bounded time."""

from __future__ import annotations

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

from gpuedu.course.nbgrader_settings import configure


@pytest.mark.parametrize(
    ("source", "is_colored"),
    [
        ("def f():\n\n\n    return 1\n", True),
        ("def f():\n    return 1\n" + "\n" * 1_000 + "x = 1", False),
        ("def f():\n    return 1\n" + "\t \n" * 1_000 + "x = 1", False),
        ("def f():\n    return 1\n" + "\r" * 1_000 + "x = 1", False),
        ("x = '''a'''\n" * 2_000, False),
    ],
)
def test_only_short_code_without_long_gaps_is_colored(source, is_colored):
    config = Config()
    configure(config)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    page, _ = HTMLExporter(config=config).from_notebook_node(notebook)
    (code,) = BeautifulSoup(page, "html.parser").select("div.highlight pre")
    assert bool(code.select("span[class]")) == is_colored
    assert code.get_text().split() == source.split()
