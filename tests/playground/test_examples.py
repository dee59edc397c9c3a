"""Each example of the page shows what it is there for, and only that."""

import json

import pytest

from gpuedu.course.lite.page import examples
from gpuedu.playground.tab import Tab

FIELDS = ("source", "grid", "block", "shared", "arguments")


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["name"])
def test_an_example_shows_its_hazard_its_cost_or_nothing(example):
    answer = Tab().answer(json.dumps({"ask": "run"} | {name: example[name] for name in FIELDS}))
    report = json.loads(answer)
    assert "fault" not in report
    findings = [found for found in report["findings"] if found["level"] != "note"]
    if example["shows"]:
        assert findings[0]["kind"] == example["shows"]
        assert findings[0]["line"] == example["line"]
    else:
        assert findings == []
    (line,) = (line for line in report["lines"] if line["line"] == example["line"])
    assert line["executions"]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["name"])
def test_an_example_fits_beside_its_costs(example):
    assert max(map(len, example["source"].splitlines())) <= 52
    assert example["look"].count(".") >= 2 and len(example["look"]) < 230


def test_there_are_a_dozen_of_all_kinds():
    shown = [example["shows"] for example in examples()]
    assert len(shown) >= 12
    hazards = {"data-race", "divergent-barrier", "out-of-bounds", "uninitialised-read"}
    costs = {"uncoalesced-access", "bank-conflict", "divergent-branch", "contended-atomic"}
    assert hazards | costs < set(shown)
