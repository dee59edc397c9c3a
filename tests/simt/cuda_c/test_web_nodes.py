"""Nodes made from flat numbers say what the binding's own nodes say, byte for byte."""

from pathlib import Path

import pytest

from gpuedu.simt.cuda_c import web_nodes
from gpuedu.simt.cuda_c.parser import root_of
from gpuedu.simt.cuda_c.web_nodes import FIELDS, Names, WebTree

pytest.importorskip("tree_sitter_cuda", reason="the binding's own nodes are compared with")

PLAIN = 'extern "C" __global__ void f(float* x, int n) { if (n > 2) x[0] = 1, x[1] = 2; }'
FOREIGN = """// für alle: äöü, 線, 𝄞𝄞
__device__ int é = 3; /* 𝄞 */ int b;
extern "C" __global__ void f(float* x) {
    printf("größer als 𝄞 %d\\n", 3); x[0] = 2 /* ß */ + x[1];
}"""
BROKEN = "__global__ void f(float* x) { /* ü */ x[0] = ; y = (1 + 2; } int ä ="
TEXTS = {"plain": PLAIN, "foreign": FOREIGN, "broken": BROKEN, "empty": "", "blank": "\n \n"}


def native_numbers(text):
    """What JavaScript would hand over, from the binding's tree."""
    types, fields, rows, nodes = [], [None], [], []

    def number(names, name):
        if name not in names:
            names.append(name)
        return names.index(name)

    def unit(byte):
        return len(text.encode()[:byte].decode().encode("utf-16-le")) // 2

    def enter(cursor, parent):
        node, at = cursor.node, len(rows)
        field = number(fields, cursor.field_name) if cursor.field_name else 0
        kind = 65535 if node.is_error else number(types, node.type)
        flags = node.is_named + 2 * node.is_missing + 4 * node.is_error + 8 * node.has_error
        nodes.append(node)
        rows.append([kind, field, unit(node.start_byte), unit(node.end_byte), parent, 0, flags])
        if cursor.goto_first_child():
            enter(cursor, at)
            while cursor.goto_next_sibling():
                enter(cursor, at)
            cursor.goto_parent()
        rows[at][5] = len(rows)

    enter(root_of(text).walk(), -1)
    return [one for row in rows for one in row], Names(types, fields), nodes


def told(node):
    """Everything that the front end asks of a node, of nodes around it by their places."""
    names = ("type", "text", "start_byte", "is_named", "is_error", "is_missing", "has_error")
    fields = ("body", "declarator", "operator", "left", "right", "condition", "parameters", "value")

    def place(other):
        return other and (other.type, other.start_byte, other.text)

    return {
        **{name: getattr(node, name) for name in names},
        "start": tuple(node.start_point),
        "end": (node.end_point.row, node.end_point.column),
        "children": [place(child) for child in node.children],
        "named": [place(child) for child in node.named_children],
        "parent": place(node.parent),
        "next": place(node.next_named_sibling),
        **{name: place(node.child_by_field_name(name)) for name in fields},
        "all": [[place(one) for one in node.children_by_field_name(name)] for name in fields],
    }


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_node_tells_the_same(text):
    numbers, names, nodes = native_numbers(text)
    tree = WebTree(text, numbers, names)
    assert len(nodes) * FIELDS == len(numbers)
    for number, node in enumerate(nodes):
        assert told(tree.node(number)) == told(node), number


def test_a_node_is_one_object_however_it_is_reached():
    numbers, names, _ = native_numbers(PLAIN)
    root = WebTree(PLAIN, numbers, names).root
    function = root.named_children[0]
    assert root.parent is None
    assert function.parent is root and root.children[0] is function
    assert {function: 1}[root.children[0]] == 1
    assert function.children[0] != function.children[1]
    assert repr(root).startswith("<WebNode translation_unit, TextPlace(row=0, column=0)")


def test_the_fields_are_those_that_javascript_hands_over():
    script = Path(web_nodes.__file__).with_name("web_parser.mjs")

    assert f"export const FIELDS = {FIELDS};" in script.read_text("utf-8")
