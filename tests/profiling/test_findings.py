"""Each fault is found at its line, and nothing else; a script without one has no finding."""

from __future__ import annotations

import pytest
from torch._dynamo import eval_frame

from gpuedu.profiling.lessons import EXERCISES, lesson_for
from gpuedu.syllabus import exercise_ids
from tests.profiling.scripts import CLEAN, at_end_of_step, planted
from tests.sampled import sampled

IN_STEPS = {
    "item": ("synchronization", "value = loss.item()"),
    "float": ("synchronization", "value = float(loss)"),
    "print": ("synchronization", "print(loss)"),
    "formatted": ("synchronization", 'print(f"{loss:.3f}")'),
    "to the host": ("synchronization", "host = loss.detach().cpu()"),
    "to the host by name": ("synchronization", 'host = loss.detach().to("cpu")'),
    "NumPy": ("synchronization", "array = loss.detach().numpy()"),
    "if": ("synchronization", "if loss > 1e9: break"),
    "nonzero": ("synchronization", "places = (y > 3).nonzero()"),
    "mask": ("synchronization", "some = x[y > 3]"),
    "list": ("kept-graph", "kept.append(loss)"),
    "list of pairs": ("kept-graph", "kept.append((step, loss))"),
    "kept tensors": ("memory-grows", "kept.append(torch.zeros(65536, device=device))"),
    "constant": ("constant", "c = torch.tensor([1.0, 2.0], device=device)"),
    "number": ("constant", "c = torch.tensor(float(step), device=device)"),
    "copies": ("copies-in-a-loop", "rows = [torch.ones(8).to(device) for _ in range(10)]"),
    "float64": ("float64", "wide = x.double().mean(1)"),
}
"""Lines at the end of each step, with the kind that each is."""
EDITS = {
    "sum": (
        "kept-graph",
        "        total += loss.detach()",
        "        total = total + loss",
        "total = total + loss",
    ),
    "blocking": (
        "copy",
        "x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)",
        "x, y = x.to(device), y.to(device)",
        "x, y = x.to(device), y.to(device)",
    ),
    "pageable": (
        "copy",
        "shuffle=True, pin_memory=True",
        "shuffle=True",
        "x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)",
    ),
    "optimizer": (
        "optimizer-loop",
        "lr=1e-3)",
        "lr=1e-3, foreach=False)",
        "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)",
    ),
    "zeros": (
        "zero-grad",
        "zero_grad()",
        "zero_grad(set_to_none=False)",
        "optimizer.zero_grad(set_to_none=False)",
    ),
    "odd": (
        "odd-size",
        "[nn.Linear(256, 256), nn.ReLU()]",
        "[nn.Linear(256, 250), nn.ReLU(), nn.Linear(250, 256)]",
        "loss = nn.functional.cross_entropy(model(x), y)",
    ),
    "deep": (
        "small-operators",
        "for _ in range(3)",
        "for _ in range(25)",
        "loss.backward()",
    ),
    "starved": (
        "loader-wait",
        "        return self.x[at]",
        "        time.sleep(0.0005)\n        return self.x[at]",
        "for step, (x, y) in enumerate(loader):",
    ),
    "evaluated": (
        "evaluation",
        "        time.sleep(0.01)\n",
        "        time.sleep(0.01)\n        if step == 6:\n            model.eval()\n"
        "            for _ in range(3):\n                model(x)\n            model.train()\n",
        "model(x)",
    ),
}
"""Kind, what is replaced, by what, and the line that is to be found."""
LOOP = """\
for at in range(60):
    x[0, at] *= 2"""
BREAKING = """\
class Loud(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        x = self.inner(x)
        print("forward")
        return x


def build():
"""


def test_a_clean_script_has_no_finding(watch, findings):
    assert findings(CLEAN) == []


@pytest.mark.parametrize("fault", sampled(IN_STEPS, every=3))
def test_a_line_in_each_step_is_found(fault, findings):
    kind, line = IN_STEPS[fault]
    assert findings(at_end_of_step(line)) == [(kind, line)]


@pytest.mark.parametrize("fault", sampled(EDITS, every=3))
def test_an_edit_is_found(fault, findings):
    kind, old, new, line = EDITS[fault]
    assert findings(planted(old, new)) == [(kind, line)]


def test_a_loop_over_elements_is_found(findings):
    assert findings(at_end_of_step(LOOP)) == [("loop", "x[0, at] *= 2")]


def test_products_in_float32_are_a_suggestion(findings):
    text = planted("        with torch.autocast(device.type, torch.bfloat16):\n    ", "")
    assert findings(text) == []  # too little to be worth a word
    assert [kind for kind, _ in findings(text.replace("256", "2048"))] == ["autocast"]


def test_a_graph_that_breaks_is_found_at_its_line(findings):
    text = planted("def build():\n", BREAKING)
    text = text.replace(
        "model = build().to(device)", "model = torch.compile(Loud(build())).to(device)"
    )
    assert findings(text) == [("graph-break", 'print("forward")')]
    assert eval_frame._stance.stance == "default", "nothing is compiled after the command"


def test_what_would_break_a_graph_is_told_where_it_is_asked_for(findings):
    text = planted("def build():\n", BREAKING)
    text = text.replace("model = build().to(device)", "model = Loud(build()).to(device)")
    assert findings(text) == []
    assert findings(text, compile_check=True) == [("graph-break", 'print("forward")')]


def test_a_frozen_network_in_the_loss_is_no_evaluation(findings):
    line = "frozen = build().to(device).eval()\nnn.functional.mse_loss(frozen(model[:1](x)[:, :64]), y.float()[:, None].expand(-1, 16)).backward()"
    assert not any(kind == "evaluation" for kind, _ in findings(at_end_of_step(line)))


@pytest.mark.parametrize(
    "line",
    [
        "if device.type == 'cpu':\n    value = loss.item()",
        "if torch.cuda.is_available():\n    pass\nelse:\n    value = loss.item()",
        "value = None if device.type != 'cpu' else loss.item()",
    ],
)
def test_a_branch_for_cpus_is_no_finding(line, findings):
    assert findings(at_end_of_step(line)) == []


def test_the_device_may_be_a_string_in_a_variable(findings):
    text = CLEAN.replace('torch.device("cuda" if torch.cuda.is_available() else "cpu")', '"cpu"')
    text = text.replace("device.type", "device")
    assert findings(text) == []
    line = "value = loss.item()"
    assert findings(text.replace("total += loss.detach()", line)) == [("synchronization", line)]


def test_pinning_under_a_condition_is_the_scripts_own(findings):
    text = planted("shuffle=True, pin_memory=True", "shuffle=True, **settings")
    text = text.replace(
        "    loader = ",
        "    settings = {}\n    if torch.cuda.is_available():\n"
        '        settings["pin_memory"] = True\n    loader = ',
    )
    assert findings(text) == []


def test_every_kind_has_a_lesson_of_the_syllabus():
    assert set(EXERCISES.values()) <= set(exercise_ids())
    assert all(lesson_for(kind) for kind in EXERCISES)


def test_a_list_is_found_in_a_script_that_ends_before_its_steps_do(findings):
    text = (
        "import torch\nmodel = torch.nn.Linear(4, 4)\n"
        "optimizer = torch.optim.SGD(model.parameters(), 0.1)\nlosses = []\n"
        "for step in range(7):\n    loss = model(torch.ones(2, 4)).sum()\n"
        "    losses.append(loss)\n    loss.backward(); optimizer.step(); optimizer.zero_grad()\n"
    )
    assert findings(text) == [("kept-graph", "losses.append(loss)")]
