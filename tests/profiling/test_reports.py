"""The text, the page, the trace and the JSON tell the same findings, and escape a script's text."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from gpuedu.errors import GpueduError
from gpuedu.profiling.as_json import as_dict
from gpuedu.profiling.findings import find
from gpuedu.profiling.page import to_html
from gpuedu.profiling.text import WIDTH, as_text
from gpuedu.profiling.trace import ROWS, trace, write_trace
from tests.profiling.scripts import at_end_of_step


@pytest.fixture
def watched(watch):
    text = at_end_of_step('value = loss.item() or "<b>&"\nif step == 3: loss.tolist()')
    return watch(text, steps=8, warmup=1)


def test_the_text_names_line_cost_remedy_and_lesson(watched):
    lines = as_text(watched, find(watched)).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("1. "))
    assert "1 wait a step" in lines[first]
    assert lines[first + 1].strip().startswith('train.py:41  `value = loss.item() or "<b>&"`')
    assert any("Lesson: The training step (hidden-syncs)" in line for line in lines)
    assert any(".tolist(), in 1 of 4 steps" in line for line in lines)
    assert [line for line in lines if len(line) > WIDTH + 10] == [lines[0]]  # a long path


def test_the_json_has_the_same(watched):
    told = json.loads(json.dumps(as_dict(watched, find(watched))))
    (finding,) = told["findings"]
    assert finding["kind"] == "synchronization" and finding["per_step"] == 1
    assert finding["places"][0]["line"] == 41
    assert [(one["line"], one["steps"]) for one in told["now_and_then"]] == [
        (45, 1),
        (42, 1),
    ]
    backward = max(told["lines"], key=lambda one: one["flop"])
    assert backward["text"] == "loss.backward()"
    assert told["steps"] == {"warm-up": 1, "counted": 4, "timed": 4}


def test_flop_are_those_of_the_products(watched):
    """A product of M x K and K x N is 2MKN; backward has two of each, but for the first layer."""
    products = [(64, 256), (256, 256), (256, 256), (256, 256), (256, 16)]
    forward = sum(2 * 32 * k * n for k, n in products)
    backward = 2 * forward - 2 * 32 * 64 * 256
    lines = {one["text"]: one["flop"] for one in as_dict(watched, ())["lines"]}
    assert lines["loss = nn.functional.cross_entropy(model(x), y)"] == forward
    assert lines["loss.backward()"] == backward


def test_memory_at_the_peak_is_who_holds_it(watched):
    parts = as_dict(watched, ())["memory_at_peak_bytes"]
    numbers = sum(k * n + n for k, n in [(64, 256), *[(256, 256)] * 3, (256, 16)])
    assert parts["weights"] == parts["gradients"] == 4 * numbers
    # Two moments for each number, and a counter of steps for each of ten tensors.
    assert parts["optimizer's state"] == 8 * numbers + 10 * 4


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names = []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        assert not any(name in ("src", "href") for name, _ in attrs)


def test_the_page_needs_nothing_and_escapes_everything(watched):
    page = to_html(watched, find(watched))
    tags = Tags()
    tags.feed(page)
    assert "b" not in tags.names and "script" not in tags.names
    assert "&lt;b&gt;&amp;" in page and "hidden-syncs" in page


def test_the_trace_has_a_row_for_each_thing(watched, tmp_path):
    write_trace(watched, tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert events == trace(watched)["traceEvents"]
    names = {one["tid"]: one["args"]["name"] for one in events if one["name"] == "thread_name"}
    assert tuple(names[row] for row in sorted(names)) == ROWS
    spans = [one for one in events if one["ph"] == "X"]
    assert {one["tid"] for one in spans} == {0, 1, 2, 3}
    assert sum(one["tid"] == 0 for one in spans) == len(watched.steps)
    assert all(one["dur"] >= 0 and one["ts"] >= 0 for one in spans)
    assert any(one["ph"] == "i" and one["name"].startswith(".item()") for one in events)


def test_a_trace_that_cannot_be_written(watched, tmp_path):
    with pytest.raises(GpueduError, match="cannot be written"):
        write_trace(watched, tmp_path / "no" / "trace.json")
