"""CUDA C in a tab: the same trees, the same verdicts, the same cards word for word."""

import ast
import json
from pathlib import Path

import pytest

from gpuedu.course.proof import Bench
from gpuedu.simt.cuda_c.parentheses import plain
from gpuedu.simt.cuda_c.parser import root_of
from gpuedu.simt.cuda_c.preprocess import expand
from gpuedu.syllabus import exercise_ids
from tests.sampled import WHOLE
from tests.tab import node
from tests.tab.answers import ROOT, card_of, cells_of
from tests.tab.trees import plain_tree

pytestmark = pytest.mark.skipif(node.why_not() is not None, reason=str(node.why_not()))

WRONG = {
    "elementwise": ("array_functions", "double_literals", "power_sign"),
    "reduction": ("no_return", "double_functions", "sums_not_scaled"),
    "raw-kernel": ("without_extern_c", "pythons_words", "own_stretch"),
    "row-softmax": ("forgets_the_block", "literal_without_f", "no_barrier_in_the_fold"),
    "accumulate-in-float32": ("not_mended", "one_left", "cast_in_the_loop"),
    "register-tile": ("left_to_the_compiler", "ends_with_the_matrix", "one_sum"),
    "vector-loads": ("not_aligned", "not_padded", "only_b"),
}
"""Exercises that read CUDA C or ask a compiler, and three stored wrong answers of each."""

FOREIGN = """// größer, 線, 𝄞𝄞 und mehr
__device__ int é = 3; /* 𝄞 */ int b;
extern "C" __global__ void f(float* x) {
    printf("größer als 𝄞 %d\\n", 3); x[0] = 2 /* ß */ + x[1];
}"""


def sources():
    """Every text of CUDA C in solutions, stored answers and the course's own code."""
    files = (
        path
        for folder in ("solutions", "gpuedu/exercises")
        for path in sorted((ROOT / folder).rglob("*.py"))
    )
    texts = [path.read_text("utf-8", errors="replace") for path in files]
    texts += [
        text for exercise in exercise_ids() for text in Bench(ROOT, exercise).wrong_texts().values()
    ]
    for text in texts:
        for part in ast.walk(ast.parse(text)):
            text = getattr(part, "value", None) if isinstance(part, ast.Constant) else None
            if not isinstance(text, str) or "<torch/" in text:  # C++ that people read
                continue
            if "__global__" in text and "{" in text:
                yield text
    for path in sorted((ROOT / "gpuedu" / "ladder" / "cuda_c").iterdir()):
        yield path.read_text("utf-8")


def run(folder: Path, script: str, **files):
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), "utf-8")
    done = node.run(script, mounts={"/work": folder}, cuda_c=True)
    assert done.status == 0, (done.stdout + done.stderr)[-2000:]


def test_both_parsers_read_the_same_trees(tmp_path):
    texts = [plain(expand(text)) for text in dict.fromkeys(sources())]
    texts = texts if WHOLE else texts[::6]
    texts += [FOREIGN, FOREIGN.replace(";", " ", 1), ""]
    assert len(texts) > (80 if WHOLE else 13)
    run(tmp_path, "tests/tab/trees.py", texts=texts)
    trees = json.loads((tmp_path / "trees.json").read_text("utf-8"))
    for text, tree in zip(texts, trees, strict=True):
        assert tree == plain_tree(root_of(text)), text


def test_answers_get_the_same_cards(tmp_path):
    # In CI one wrong answer of each sixth exercise.
    some, each = slice(None if WHOLE else 1), slice(None, None, 1 if WHOLE else 6)
    answers = [
        answer
        for exercise, wrong in [*WRONG.items()][each]
        for answer in cells_of(exercise, wrong[some])
    ]
    run(tmp_path, "tests/tab/answers.py", answers=answers)
    cards = json.loads((tmp_path / "cards.json").read_text("utf-8"))
    for answer, (points, state, text) in zip(answers, cards, strict=True):
        assert [points, state, text] == card_of(answer)
        wanted = {"solution": "solved", "stub": "unsolved"}.get(answer["name"])
        assert state == wanted or (wanted is None and state in ("partly", "wrong"))
