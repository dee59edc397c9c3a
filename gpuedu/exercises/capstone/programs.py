"""Programs of several files: in a folder of the learner's, as texts, and run from those texts."""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from gpuedu.errors import AnswerError, WorkspaceError
from gpuedu.exercises.capstone.guarding import MAY_GET, MAY_SET, Guard
from gpuedu.exercises.capstone.plain_names import BUILTINS, MODULES
from gpuedu.exercises.capstone.plain_python import plain_trees

MOST_FILES, MOST_CHARACTERS = 20, 60_000
"""Of a program: several times what one needs."""
_FILE = "# === "
"""A line that begins a file, where a program is one text."""


def given_program(exercise: str, name: str) -> dict[str, str]:
    """The texts of a program that the course hands out, by file."""
    folder = files("gpuedu") / "exercises" / "capstone" / exercise / name
    found = {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name[-3:] == ".py"}
    return dict(sorted(found.items()))


def write_program(program: Mapping[str, str], folder: Path) -> list[str]:
    """Write the files that a folder does not have yet; the names of those that were written.

    A file that is there stays as it is, whatever is in it.
    """
    if folder.exists() and not folder.is_dir():
        raise WorkspaceError(f"{folder} is a file", remedy="another name for the folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in program.items():
        if not (folder / name).exists():
            (folder / name).write_text(text, "utf-8")
            written.append(name)
    return written


def read_folder(folder: Path) -> dict[str, str]:
    """The texts of a folder's Python files.

    Raises:
        AnswerError: a file is no UTF-8 text, or there are none.
    """
    found = {}
    for path in sorted(folder.glob("*.py")):
        try:
            found[path.name] = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise AnswerError(f"{path} cannot be read: {fault}") from None
    if not found:
        raise AnswerError(f"there is no Python file in the folder {str(folder)!r}")
    return found


def packed(program: Mapping[str, str]) -> str:
    r"""A program as one text.

    >>> packed({"a.py": "x = 1\n", "b.py": "y = 2\n"})
    '# === a.py\nx = 1\n# === b.py\ny = 2\n'
    """
    return "".join(f"{_FILE}{name}\n{text.rstrip()}\n" for name, text in program.items())


def unpacked(text: str) -> dict[str, str]:
    r"""The files of a program that was one text.

    >>> unpacked("# === a.py\nx = 1\n# === b.py\ny = 2\n")
    {'a.py': 'x = 1\n', 'b.py': 'y = 2\n'}
    """
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(_FILE):
            lines = found.setdefault(line.removeprefix(_FILE).strip(), [])
        else:
            lines.append(line)
    return {name: "".join(lines) for name, lines in found.items()}


def require_program(value: Any) -> dict[str, str]:
    """A learner's program, as exact texts by file; AnswerError where it is none."""
    wanted = "should be the program's files, as `read_program` gives them"
    if type(value) is not dict or not value:
        raise AnswerError(f"`program` {wanted}, got {type(value).__name__}")
    program = {}
    for name, text in value.items():
        if type(name) is not str or type(text) is not str:
            raise AnswerError(f"`program` {wanted}: texts by name")
        if not name.endswith(".py") or not name[:-3].isidentifier() or name[:-3] in MODULES:
            raise AnswerError(f"{name!r} cannot be the name of a file of the program")
        program[name] = text
    if len(program) > MOST_FILES or sum(map(len, program.values())) > MOST_CHARACTERS:
        raise AnswerError(
            f"the program has more than {MOST_FILES} files or {MOST_CHARACTERS:,} characters"
        )
    return program


@contextmanager
def loaded(program: Mapping[str, str], label: str, wanted: str) -> Iterator[ModuleType]:
    """The module ``wanted`` of a program that runs from its texts, while the block lasts.

    Each entry is a program of its own, with nothing left of an earlier one.

    Args:
        program: texts by file.
        label: what its files are shown to be in, in errors.
        wanted: a module of it, without ``.py``.

    Raises:
        AnswerError: it names what such a program may not; or a file is missing.
    """
    own = frozenset(name.removesuffix(".py") for name in program)
    if wanted not in own:
        raise AnswerError(f"the program has no file {wanted}.py")
    trees = plain_trees(program, label)
    for name, text in program.items():
        shown = f"{label}/{name}"
        linecache.cache[shown] = (len(text), None, text.splitlines(keepends=True), shown)
    modules: dict[str, ModuleType] = {}
    guard = Guard(
        lambda one: any(one is module or one is vars(module) for module in modules.values())
    )

    def load(name: str) -> ModuleType:
        if name not in modules:
            shown = f"{label}/{name}.py"
            module = modules[name] = _OwnModule(f"own {name}")  # as no library is called
            names = {one: getattr(builtins, one) for one in BUILTINS}
            names |= {"__import__": find, "__build_class__": guard.build_class}
            names |= {MAY_GET: guard.may_get, MAY_SET: guard.may_set}
            vars(module).update({"__builtins__": names, "__file__": shown})
            exec(compile(trees[name], shown, "exec", dont_inherit=True), vars(module))
        return modules[name]

    def find(
        name: str, around: Any = None, local: Any = None, what: Any = (), level: int = 0
    ) -> Any:
        if not level:
            return builtins.__import__(name, {}, {}, what or (), 0)
        if name:
            return load(name)
        package = ModuleType(label)
        for one in what:
            setattr(package, one, load(one))
        return package

    from gpuedu.exercises.capstone.no_files import no_files
    from gpuedu.exercises.capstone.states import states_alone

    with no_files(), states_alone():
        yield load(wanted)


class _OwnModule(ModuleType):
    """A file of a program: the modules that it imports are its own."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__builtins__":
            raise AttributeError(name)
        value = super().__getattribute__(name)
        if isinstance(value, ModuleType):
            here = super().__getattribute__("__file__")
            raise AnswerError(
                f"`{name}` is a module that {here} imports", remedy="import it where it is used"
            )
        return value
