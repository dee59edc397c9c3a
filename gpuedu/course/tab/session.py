"""The first cell of a lesson in a browser tab: restores progress and announces a new release.

Nothing here raises: a private window without storage, or a site that cannot be reached, leaves a
lesson that works and says what is not kept.
"""

from __future__ import annotations

import logging
from pathlib import Path

import gpuedu
from gpuedu.course.tab import release
from gpuedu.course.tab.keeping import Keeping
from gpuedu.exercises import session
from gpuedu.exercises.progress import open_store
from gpuedu.exercises.progress.events import to_json
from gpuedu.simt.host.numba_names import stand_in_for_numba

PARSER_FOLDER = "static/tree-sitter/"
"""Where the site has web-tree-sitter.js, web-tree-sitter.wasm and tree-sitter-cuda.wasm."""

_DRIVE = Path("/drive")
_READY = "gpuedu {version} is ready in this tab. Nothing leaves it: your code runs here."
# A line for a sentence: a notebook wraps it to the width it has, on a phone as well.
_KEPT = (
    "Your answers and your progress are kept in this browser.\n"
    "The start page of this site saves all of it to a file, and loads such a file, here or on "
    "another computer."
)
_NOT_KEPT = (
    "This window keeps nothing (is it a private one?): answers and progress are gone when you "
    "close it.\n"
    "Download the notebook before you do: File > Download."
)
_NEWER = (
    "A newer release changed this lesson; your answers are kept.\n"
    "In a moment you are asked about a file that changed: choose Revert, which brings the newer "
    "lesson with your answers in it. (File > Reload Notebook from Disk does the same.) Then run "
    "this cell again."
)


async def begin(lesson: str, *, cuda_c: bool = False) -> None:
    """Make a lesson ready in a tab.

    Args:
        lesson: the name of its notebook, without the ending.
        cuda_c: whether the lesson has kernels in CUDA C, whose parser is then fetched.
    """
    stand_in_for_numba()
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it builds its cache
    print(_READY.format(version=gpuedu.__version__))
    if cuda_c:
        await _prepare_cuda_c()
    try:
        keeping = Keeping()
        await _restore(keeping)
    except Exception:  # whatever a browser without storage raises
        session.use_store(open_store(in_memory=True, tell=session.tell))
        print(_NOT_KEPT)
        return
    print(_KEPT)
    await _bring_release(keeping, lesson)


async def _restore(keeping: Keeping) -> None:
    """Progress from the browser, and a store that keeps what is added there."""
    kept = await keeping.events()
    store = open_store(in_memory=True, tell=session.tell, keep=keeping.keep_event)
    session.use_store(store)
    store.import_json(to_json(kept))


async def _bring_release(keeping: Keeping, lesson: str) -> None:
    name = f"{lesson}.ipynb"
    try:
        released = await _fetch(f"{site_root()}files/{name}")
        counts = release.bring(_DRIVE / name, await keeping.released(name), released)
        if counts is None:
            await keeping.keep_released(name, released)
        else:  # the page that is open may yet be saved over it: brought once it is found again
            print(_NEWER)
    except Exception:  # offline, or no drive in this window: the lesson stays as it is
        return


async def _prepare_cuda_c() -> None:
    """Fetch the parser; where that fails, a kernel in CUDA C says so."""
    from gpuedu.simt.cuda_c import prepare

    await prepare(site_root() + PARSER_FOLDER)


async def _fetch(url: str) -> str:
    from pyodide.http import pyfetch

    response = await pyfetch(url, cache="no-cache")
    response.raise_for_status()
    return await response.text()


def site_root() -> str:
    """The address of the site that this kernel came from, with a slash at the end."""
    from js import location  # type: ignore[import-not-found]

    return _root_of(str(location.href))


def _root_of(worker: str) -> str:
    """The site's address, from that of the kernel's worker.

    >>> _root_of("https://example.org/course/extensions/@jupyterlite/x/static/1.js")
    'https://example.org/course/'
    """
    return worker.split("/extensions/")[0].rstrip("/") + "/"
