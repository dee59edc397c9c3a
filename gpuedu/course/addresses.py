"""Where the course is public, and where each lesson opens with one click.

A fork changes ``OWNER`` and ``NAME``; all else follows, and a test holds README, pyproject.toml and
CITATION.cff to it.
"""

from __future__ import annotations

from urllib.parse import quote

from gpuedu import __version__
from gpuedu.syllabus import Lesson

OWNER, NAME = "gpuedu", "gpuedu"
REPOSITORY = f"https://github.com/{OWNER}/{NAME}"
SITE_URL = f"https://{OWNER}.github.io/{NAME}/"
"""The book of this release; its workflow publishes the other parts of the site below it."""
TAB_URL = f"{SITE_URL}tab/"
"""The lessons that run in a browser tab, and the playground."""
BINDER_MB = 1500
"""What a lesson may need on Binder, whose seats have 2 GB with the server in them."""
SITE_BRANCH = "gh-pages"
"""The branch that the site is published from. Colab opens notebooks from branches alone."""


def page_url(lesson: Lesson) -> str:
    """The lesson's page in the book."""
    return f"{SITE_URL}lessons/{lesson.folder}.html"


def tab_url(lesson: Lesson) -> str:
    """The lesson in a browser tab; for lessons that run there (``lesson.tab``)."""
    return f"{TAB_URL}notebooks/index.html?path={lesson.folder}.ipynb"


def colab_url(lesson: Lesson) -> str:
    """The lesson in Colab: the notebook whose first cell installs this release there."""
    path = f"{OWNER}/{NAME}/blob/{SITE_BRANCH}/colab/{lesson.folder}.ipynb"
    return f"https://colab.research.google.com/github/{path}"


def binder_url(lesson: Lesson) -> str:
    """The lesson in JupyterLab on Binder, in an environment of this release."""
    path = quote(f"lab/tree/workspace/{lesson.folder}/{lesson.folder}.ipynb", safe="")
    return f"https://mybinder.org/v2/gh/{OWNER}/{NAME}/v{__version__}?urlpath={path}"


def ways_in(lesson: Lesson) -> tuple[tuple[str, str], ...]:
    """Where a lesson opens with one click, ``(name, address)``, the lightest way first."""
    here = (("Run in this tab", tab_url(lesson)),) if lesson.tab else ()
    fits = lesson.memory_mb <= BINDER_MB
    binder = (("Open in Binder", binder_url(lesson)),) if fits else ()
    return (*here, ("Open in Colab", colab_url(lesson)), *binder)
