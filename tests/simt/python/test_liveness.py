from __future__ import annotations

import ast
import textwrap

import pytest

from gpuedu.simt.python.desugar import desugar
from gpuedu.simt.python.liveness import assigned, liveness, reads


def function(text: str) -> ast.FunctionDef:
    made = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(made, ast.FunctionDef)
    return made


def live_after(text: str, statement: str) -> set[str]:
    """The names needed behind the statement that is written so."""
    tree = function(text)
    found = liveness(tree)
    (node,) = (
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt) and ast.unparse(n).startswith(statement)
    )
    return set(found.after[id(node)])


def test_a_name_is_needed_until_it_is_read_last():
    text = """
    def f(a):
        b = a
        c = b
        return c
    """
    assert live_after(text, "b = a") == {"b"}
    assert live_after(text, "c = b") == {"c"}


def test_an_assignment_to_an_element_needs_the_array():
    text = """
    def f(a, i):
        x = 1
        a[i] = x
    """
    assert live_after(text, "x = 1") == {"a", "i", "x"}


def test_what_one_side_reads_is_needed_before_the_branch():
    text = """
    def f(a, n):
        x = 1
        if n:
            a[0] = x
        else:
            x = 2
        return x
    """
    assert live_after(text, "x = 1") == {"a", "n", "x"}
    assert live_after(text, "if n") == {"x"}


def test_the_head_of_a_loop_needs_what_its_next_turn_reads():
    text = """
    def f(a, n):
        s = 0
        t = 0
        while n > 0:
            t = s
            s = a[n]
            n = n - 1
        return s
    """
    tree = function(text)
    (loop,) = (n for n in ast.walk(tree) if isinstance(n, ast.While))
    assert set(liveness(tree).head[id(loop)]) == {"a", "n", "s"}


@pytest.mark.parametrize(
    "jump, needed",
    [
        ("break", {"y"}),
        ("continue", {"a", "n", "x", "y"}),
        ("return", set()),
        ("pass", {"a", "x", "y"}),
    ],
)
def test_a_jump_needs_what_is_read_where_it_lands(jump, needed):
    text = f"""
    def f(a, n, x, y):
        while n:
            if a:
                k = 1
                {jump}
            n = x
        a[0] = y
    """
    assert live_after(text, "k = 1") == needed | ({"a"} if jump == "break" else set())


def test_loop_targets_are_assigned_by_the_loop():
    tree = function("def f(a):\n    for i, x in a:\n        y = i\n        a[i] = x")
    assert assigned(tree.body) == {"i", "x", "y"}
    assert reads(tree.body[0].body[1]) == {"a", "i", "x"}
    assert set(liveness(tree).head[id(tree.body[0])]) == {"a"}


# Desugaring


def plain(text: str) -> str:
    tree = function(text)
    desugar(tree)
    return ast.unparse(tree)


def test_an_else_of_a_loop_becomes_a_flag():
    text = plain("""
    def f(a):
        for i in a:
            if i:
                break
        else:
            a[0] = 1
    """)
    assert text.splitlines()[1:] == [
        "    $1 = False",
        "    for i in a:",
        "        if i:",
        "            $1 = True",
        "            break",
        "    if not $1:",
        "        a[0] = 1",
    ]


def test_a_break_of_an_inner_loop_does_not_set_the_outer_flag():
    text = plain("""
    def f(a):
        for i in a:
            for j in a:
                break
        else:
            a[0] = 1
    """)
    assert "True" not in text


def test_a_match_becomes_a_chain_of_conditions():
    text = plain("""
    def f(a):
        match a[0]:
            case 1 | 2:
                x = 1
            case True:
                x = 2
            case _:
                x = 3
    """)
    assert [line.strip() for line in text.splitlines()[1:]] == [
        "$1 = a[0]",
        "if $1 == 1 or $1 == 2:",
        "x = 1",
        "elif $1 == True:",
        "x = 2",
        "else:",
        "x = 3",
    ]


def test_annotations_vanish():
    assert plain("def f(a):\n    x: int = 1\n    y: float").splitlines()[1:] == [
        "    x = 1",
        "    pass",
    ]


def test_new_nodes_keep_the_lines_of_old_ones():
    tree = function("def f(a):\n    while a:\n        break\n    else:\n        a[0] = 1")
    desugar(tree)
    lines = {type(n).__name__: n.lineno for n in tree.body}
    assert lines == {"Assign": 2, "While": 2, "If": 2}
