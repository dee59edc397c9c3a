"""The house rules of a lesson that a machine can check: length, imports, names, anatomy."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import gpuedu
from gpuedu.course import language
from gpuedu.course.minutes import LONGEST, minutes_allowed, stated_minutes
from gpuedu.course.source import LessonSource, SourceCell, read_source
from gpuedu.errors import AnswerError, LessonSourceError, UnknownNameError
from gpuedu.exercises import registry
from gpuedu.exercises.predictions import prediction_value
from gpuedu.syllabus import Lesson

SETUP_LINES, CODE_LINES, TEXT_LINES, CODE_CELLS = 6, 25, 12, 42
_ASKED = ("setup", "check", "hint", "predict", "reveal", "see", "measure", "progress")
"""What cells call of gpuedu, which must not raise: it would end a run of all cells."""
_PROGRAM = re.compile(r"^# === \w+\.py\n.*?(?=^### END SOLUTION$)", re.DOTALL | re.MULTILINE)
"""Files that a cell holds for whoever grades it; a learner writes them elsewhere."""
_POWER = re.compile(r"\w\*\*[\w(]")
_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_FENCED = re.compile(r"```.*?```", re.DOTALL)
_ITEM = re.compile(r"(?:[-+*]|\d+[.)])\s")
_EMOJI = re.compile(r"[\U0001F300-\U0001FAFF]")


def lint(root: Path, lesson: Lesson) -> list[LessonSourceError]:
    """Everything about one lesson's source that breaks a rule, in the order of the file."""
    source = read_source(root / "solutions" / lesson.folder / f"{lesson.folder}.py")
    faults: list[LessonSourceError] = []
    for rule in (
        _package,
        _lengths,
        _setup,
        _imports,
        _names,
        _calls,
        _texts,
        _points,
        _anatomy,
        _english,
        _cards,
        _variants,
    ):
        faults += rule(source, lesson)
    return sorted(faults, key=lambda fault: fault.line)


def _package(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """A package without ``__init__.py`` is found here, and left out of what is installed."""
    folder = Path(registry.__file__).parent / lesson.module
    if lesson.exercises and not (folder / "__init__.py").exists():
        yield source.fault(f"gpuedu/exercises/{folder.name}/ has no __init__.py")


def _lengths(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """Stretch exercises do not count to the lesson's length: nobody has to do them."""
    code = [c for c in source.cells if c.is_code and c.exercise not in lesson.stretch]
    if len(code) > CODE_CELLS:
        yield source.fault(f"{len(code)} code cells, at most {CODE_CELLS}", code[CODE_CELLS])
    for cell in source.cells:
        lines = [line for line in _PROGRAM.sub("", cell.text).splitlines() if line.strip()]
        most = CODE_LINES if cell.is_code else TEXT_LINES
        if len(lines) > most and cell.section != "sources":
            kind = "code" if cell.is_code else "text"
            yield source.fault(f"a {kind} cell of {len(lines)} lines, at most {most}", cell)


def _setup(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    setups = [cell for cell in source.cells if cell.role == "setup"]
    first_code = next((cell for cell in source.cells if cell.is_code), None)
    if len(setups) != 1 or first_code is not setups[0]:
        yield source.fault("the first code cell, and no other, has the role 'setup'", first_code)
        return
    lines = [line for line in setups[0].text.splitlines() if line.strip()]
    if len(lines) > SETUP_LINES:
        yield source.fault(f"a setup cell of {len(lines)} lines, at most {SETUP_LINES}", setups[0])
    if not lines[0].startswith("from gpuedu import"):
        remedy = "only then can it say in one line which package is missing"
        yield source.fault("the setup cell does not import from gpuedu first", setups[0], remedy)
    if f'setup("{lesson.slug}")' not in setups[0].text:
        yield source.fault(f'the setup cell does not call `setup("{lesson.slug}")`', setups[0])


def _nodes(source: LessonSource) -> Iterator[tuple[SourceCell, ast.AST]]:
    for cell in source.cells:
        if cell.is_code:
            try:
                tree = ast.parse(cell.text)
            except SyntaxError as fault:
                raise source.fault(
                    f"{fault.msg} in line {fault.lineno} of the cell", cell
                ) from None
            for node in ast.walk(tree):
                yield cell, node


def _imports(source: LessonSource, _lesson: Lesson) -> Iterator[Exception]:
    """Of gpuedu only what it exports; nothing with a star."""
    for cell, node in _nodes(source):
        if isinstance(node, ast.Import):
            inner = [alias.name for alias in node.names if alias.name.startswith("gpuedu.")]
            if inner:
                yield source.fault(f"imports {inner[0]}, an inner module", cell)
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            module = node.module or ""
            if "*" in names:
                yield source.fault(f"a star import from {module}", cell)
            if module.startswith("gpuedu."):
                yield source.fault(f"imports from {module}, an inner module", cell)
            if module == "gpuedu" and not set(names) <= set(gpuedu.__all__):
                missing = sorted(set(names) - set(gpuedu.__all__))
                yield source.fault(f"gpuedu does not export {missing[0]!r}", cell)


def _names(source: LessonSource, _lesson: Lesson) -> Iterator[Exception]:
    """Every exercise, prediction, picture and measurement that a cell names exists."""
    finders = {
        "hint": registry.load,
        "check": registry.load,
        "predict": registry.load_prediction,
        "reveal": registry.load_prediction,
        "see": registry.load_picture,
        "measure": registry.load_measure,
    }
    predicted: set[str] = set()
    for cell, node in _nodes(source):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        called, first = node.func.id, node.args[0]
        if called not in finders or not isinstance(first, ast.Constant):
            continue
        try:
            finders[called](str(first.value))
        except UnknownNameError as fault:
            yield source.fault(f"{called}: {fault.message}", cell, fault.remedy)
        if called == "predict":
            predicted.add(first.value)
            if cell.role != "predict":
                yield source.fault('a cell that predicts needs role="predict"', cell)
            yield from _prediction(source, cell, node)
        if called == "reveal" and first.value not in predicted:
            yield source.fault(f"reveals {first.value!r} before it is predicted", cell)


def _prediction(source: LessonSource, cell: SourceCell, node: ast.Call) -> Iterator[Exception]:
    """What the solution predicts is accepted, and is the right one of several choices."""
    with suppress(UnknownNameError, ValueError, IndexError):
        said = ast.literal_eval(node.args[1])
        prediction = registry.load_prediction(ast.literal_eval(node.args[0]))
        try:
            stored = prediction_value(prediction, said)
        except AnswerError as fault:
            yield source.fault(f"predict: {fault.message}", cell, fault.remedy)
            return
        if prediction.choices and prediction.truth not in (None, stored):
            yield source.fault(f"predicts {said!r}, and the truth is {prediction.truth!r}", cell)


def _calls(source: LessonSource, _lesson: Lesson) -> Iterator[Exception]:
    """What a cell hands over fits what it calls, and what ``see`` gets fits its picture."""
    for cell, node in _nodes(source):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        called, given = node.func.id, node.args
        if called not in _ASKED or any(isinstance(one, ast.Starred) for one in given):
            continue
        try:
            inspect.signature(getattr(gpuedu, called)).bind(
                *given, **{one.arg or "**": one.value for one in node.keywords}
            )
            if called == "see" and isinstance(given[0], ast.Constant):
                inspect.signature(registry.load_picture(given[0].value)).bind(*given[1:])
        except TypeError as fault:
            yield source.fault(f"`{ast.unparse(node)}`: {fault}", cell)
        except UnknownNameError:
            continue  # told by the rule on names


def _texts(source: LessonSource, _lesson: Lesson) -> Iterator[Exception]:
    for cell in source.cells:
        if re.search(r"\blessons? \d", cell.text, re.IGNORECASE):
            yield source.fault("a lesson is called by its number", cell, "name what it is about")
        if _EMOJI.search(cell.text):
            yield source.fault("an emoji", cell)
        if not cell.is_code and _POWER.search(_CODE.sub("", cell.text)):
            yield source.fault("a power outside of code: two of them make bold", cell, "`2**10`")
        for line in accidental_lists(cell.text) if not cell.is_code else ():
            yield source.fault(
                f"`{line[:40]}` becomes an item of a list", cell, "break the line elsewhere"
            )


def _points(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """The line below an exercise's heading says its id, its points and how long it takes."""
    for exercise in lesson.exercises:
        points = registry.load(exercise).judge.points
        cells = source.cells_of(exercise, "text")
        wanted = f"**`{exercise}` · {points:g} points"
        if not cells or wanted not in cells[0].text or "minutes**" not in cells[0].text:
            yield source.fault(
                f"the first text of {exercise!r} lacks its line",
                cells[0] if cells else None,
                f"{wanted} · about 10 minutes**",
            )
            continue
        least, most = minutes_allowed(source, exercise)
        if not least <= stated_minutes(source, exercise) <= most:
            yield source.fault(
                f"{exercise!r} does not take {stated_minutes(source, exercise)} minutes",
                cells[0],
                f"by its words and lines between {least} and {most}: gpuedu/course/minutes.py",
            )


def _anatomy(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """First a question, what you will be able to do, needs and time; last facts and sources."""
    first = source.cells[0]
    if not first.text.startswith(f"# {lesson.question}"):
        yield source.fault(f"does not begin with `# {lesson.question}`", first)
    if lesson.minutes > LONGEST:
        yield source.fault(f"{lesson.minutes} minutes, at most {LONGEST}", first, "make it two")
    for wanted in ("**You will be able to**", "**You need**", f"about {lesson.minutes} minutes"):
        if wanted not in first.text:
            yield source.fault(f"the first cell lacks {wanted!r}", first)
    ends = [c for c in source.cells if c.section == "what-you-take-with-you" and not c.is_code]
    facts = ends[0].text.count("\n- ") if ends else 0
    if facts != 3 or "**Your number:**" not in (ends[0].text if ends else ""):
        yield source.fault(
            f"'What you take with you' has {facts} facts",
            ends[0] if ends else source.cells[-1],
            "three facts as a list, then **Your number:**",
        )
    if not source.cells[-1].text.startswith("## Sources"):
        yield source.fault("does not end with `## Sources`", source.cells[-1])


def _english(source: LessonSource, _lesson: Lesson) -> Iterator[Exception]:
    for cell in source.cells:
        if cell.role == "text" and cell.section != "sources":
            for found, remedy in language.faults(cell.text):
                yield source.fault(f"not the course's English: {found}", cell, remedy)


def _cards(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """What an exercise's card, hints and predictions say, in the same English."""
    for exercise in lesson.exercises:
        judge = registry.load(exercise).judge
        texts = [judge.title, *judge.hints]
        texts += [text for prop in judge.properties for text in (prop.says, prop.asks)]
        texts += [prediction.question for prediction in judge.predictions.values()]
        for text in texts:
            for found, remedy in language.faults(text or ""):
                heading = source.cells_of(exercise, "text")[0]
                yield source.fault(f"a card of {exercise!r} says: {found}", heading, remedy)


def _variants(source: LessonSource, lesson: Lesson) -> Iterator[Exception]:
    """What a class's own numbers replace stands in the cells that they are replaced in, once."""
    for exercise in lesson.exercises:
        variant = registry.load_variant(exercise, "aaaa")
        cells = [cell for cell in source.cells if cell.exercise == exercise]
        for old, _ in variant.edits if variant is not None else ():
            if sum(cell.text.count(old) for cell in cells) != 1:
                yield source.fault(
                    f"a variant of {exercise!r} changes {old!r}, which does not occur exactly once",
                    cells[0],
                    "change its module `variant` as the text was changed",
                )


def accidental_lists(text: str) -> list[str]:
    r"""Lines within a paragraph that Markdown takes for an item, since they begin as one does.

    >>> accidental_lists("from 0 to 2**32\n- 1, and\n\n- an item\n- another")
    ['- 1, and']
    """
    found, before, is_list = [], "", False
    for line in _FENCED.sub("", text).split("\n"):
        begins = _ITEM.match(line) is not None
        if begins and before.strip() and not is_list and not before.startswith("#"):
            found.append(line)
        is_list = bool(line.strip()) and (is_list or begins)
        before = line
    return found
