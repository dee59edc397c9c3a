"""Stored answers as cells, and the cards that they get; as a script in the tab, of many answers.

The script reads ``answers.json``, a list of what ``cells_of`` gives, in ``/work``, and writes
``cards.json`` beside it.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def cells_of(exercise: str, wrong: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The solution, the stub and stored wrong answers of an exercise, as plain values."""
    import ast

    from gpuedu.course.proof import Bench

    bench = Bench(ROOT, exercise)
    (setup,) = (cell for cell in bench.source.cells if cell.role == "setup")
    imports = [
        ast.unparse(node)
        for node in ast.parse(setup.text).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    solution, stored = bench.solution_cells(), bench.wrong_texts()
    named = {"solution": solution, "stub": bench.stub_cells()}
    named |= {name: [*solution, stored[name]] for name in wrong}
    for name, cells in named.items():
        yield {
            "exercise": exercise,
            "name": name,
            "cells": ["\n".join(imports), *cells],
            "arguments": [ast.unparse(argument) for argument in bench.arguments],
        }


def card_of(answer: Mapping[str, Any]) -> list[Any]:
    """The points of an answer, its state, and the text of its card."""
    from gpuedu.exercises.card import report_card, to_text
    from gpuedu.exercises.examine import examine
    from gpuedu.exercises.registry import load

    namespace: dict[str, Any] = {"__name__": "__lesson__"}
    for number, text in enumerate(answer["cells"]):
        file = f"<{answer['exercise']} {answer['name']} {number}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), namespace)
    given = [eval(argument, namespace) for argument in answer["arguments"]]
    report = examine(load(answer["exercise"]), given)
    return [report.points, report.state, to_text(report_card(report))]


def main() -> None:
    """The script."""
    from gpuedu.simt.host.numba_names import stand_in_for_numba
    from tests.tab import pure

    pure.admit()
    stand_in_for_numba()
    folder = Path("/work")
    answers = json.loads((folder / "answers.json").read_text("utf-8"))
    cards = [card_of(answer) for answer in answers]
    (folder / "cards.json").write_text(json.dumps(cards), "utf-8")


if __name__ == "__main__":
    main()
