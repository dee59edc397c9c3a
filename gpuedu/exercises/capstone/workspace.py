"""A program in a folder of the learner's: handed out, read, and put into the notebook."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuedu.errors import WorkspaceError
from gpuedu.exercises.capstone.programs import (
    given_program,
    packed,
    read_folder,
    unpacked,
    write_program,
)
from gpuedu.exercises.placeholder import source_has_placeholder

_RUN = {
    "fast": '''"""Train with the files in `fast`: what `gpuedu profile run_fast.py` watches.

`python run_fast.py 2` trains on two simulated ranks.
"""

import sys

import torch

from fast.train import run
from gpuedu.exercises.capstone.runs import example_on_ranks, example_run

torch.set_num_threads(1)  # for a model as small as this, one is fastest
ranks = int(sys.argv[1]) if sys.argv[1:] else 1
print(run(*example_run()) if ranks == 1 else example_on_ranks(run, ranks))
''',
    "faster": '''"""Train, then write, with the files in `faster`.

`python run_faster.py 2` trains on two simulated ranks, and writes nothing.
"""

import sys

import torch

from faster import train, write
from gpuedu.exercises.capstone.make_it_fast_too.counting import example_on_ranks, example_run

torch.set_num_threads(1)  # for a model as small as this, one is fastest
if sys.argv[1:]:
    print(example_on_ranks(train.run, int(sys.argv[1])))
else:
    store, settings = example_run()
    print(train.run(store, settings))
    print(*write.run(store, settings), sep="\\n")
''',
}
"""The script beside a folder, by the folder's name."""


@dataclass(frozen=True)
class _Start:
    """Which program a folder begins with.

    ``variable`` is the notebook's name of the program.
    """

    exercise: str
    program: str
    variable: str


_STARTS = {
    "fast": _Start("make_it_fast", "reader", "program"),
    "faster": _Start("make_it_fast_too", "writer", "program_too"),
}
"""By the folder's name."""


def start_program(folder: str) -> None:
    """Write the slow program's files into a folder, and a script beside it that runs them.

    No file that is there is overwritten.

    Raises:
        WorkspaceError: the folder's name is a file's, or no program of the course's begins there.
    """
    given = _given(folder)
    if Path("gpuedu", "__init__.py").exists():
        print("This is the course's own folder: nothing is written here.")
        return
    try:
        written = write_program(given, Path(folder))
        name, beside = Path(folder).name, Path(folder).parent
        written += write_program({f"run_{name}.py": _RUN[name]}, beside)
    except PermissionError:
        print(f"The folder {folder!r} cannot be written here.")
        return
    told = f"{len(written)} files written" if written else "your files are as you left them"
    print(f"{Path(folder).resolve()}: {told}.")


def read_program(folder: str, handed_in: str = "", *, pack: bool = False) -> Any:
    """The program in a folder, as texts by file, for ``check`` and ``see``.

    Args:
        folder: where ``start_program`` wrote it.
        handed_in: files that the notebook holds itself. They count where the folder has none that
            was changed, as with whoever grades the notebook.
        pack: put the files that were changed into this cell of the notebook.

    Returns:
        A dict; ``...`` as long as nothing was changed.
    """
    given = _given(folder)
    found = read_folder(Path(folder)) if Path(folder).is_dir() else given
    changed = {name: text for name, text in found.items() if given.get(name) != text}
    if pack:
        _put_into_cell(folder, changed)
    if changed:
        return found
    is_blank = not handed_in.strip() or source_has_placeholder(handed_in)
    return ... if is_blank else {**given, **unpacked(handed_in)}


def _given(folder: str) -> dict[str, str]:
    start = _STARTS.get(Path(folder).name)
    if start is None:
        names = " and ".join(f"`{name}`" for name in _STARTS)
        raise WorkspaceError(
            f"no program of the course starts in a folder {folder!r}", remedy=f"there are {names}"
        )
    return given_program(start.exercise, start.program)


def _put_into_cell(folder: str, changed: dict[str, str]) -> None:
    """Replace the notebook's current cell by one that holds the program."""
    if "'''" in (text := packed(changed)):
        print("A file has three single quotes in a row: write them as double ones.")
        return
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        print("This isn't a notebook, so nothing was packed.")
        return
    variable = _STARTS[Path(folder).name].variable
    cell = f"handed_in = r'''\n{text}'''\n{variable} = read_program({folder!r}, handed_in)"
    shell.set_next_input(cell, replace=True)
    print(f"The cell holds your program now: {', '.join(changed) or 'no file was changed'}. Save.")
