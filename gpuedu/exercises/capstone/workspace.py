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

_RUN = '''"""Train with the files in `{folder}`: what `gpuedu profile run_{folder}.py` watches."""

from {folder}.train import run
from gpuedu.exercises.capstone.{module} import example_run

print(run(*example_run()))
'''


@dataclass(frozen=True)
class _Start:
    """Which program a folder begins with.

    ``example`` is the module of an example's run, ``variable`` the notebook's name of the program.
    """

    exercise: str
    program: str
    example: str
    variable: str


_STARTS = {
    "fast": _Start("make_it_fast", "reader", "runs", "program"),
    "faster": _Start("make_it_fast_too", "writer", "make_it_fast_too.counting", "program_too"),
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
        script = _RUN.format(folder=name, module=_STARTS[name].example)
        written += write_program({f"run_{name}.py": script}, beside)
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
