"""Questions and answers of the page: plain values, word for word what the lens says."""

import json

import pytest

from gpuedu.playground.tab import Tab

TRANSPOSE = """from numba import cuda, float32


@cuda.jit
def transpose(a, out):
    x, y = cuda.grid(2)
    tile = cuda.shared.array((32, 32), float32)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    out[x, y] = tile[cuda.threadIdx.x, cuda.threadIdx.y]
    if x == 0:
        a[y, x] = 0


transpose[2, 3]()
"""
FIELDS = {
    "source": TRANSPOSE,
    "grid": "2, 2",
    "block": "32, 32",
    "arguments": "a: float32[64, 64] = arange\nout: float32[64, 64]",
}


def ask(tab, kind, **fields):
    return json.loads(tab.answer(json.dumps({"ask": kind, **fields})))


@pytest.fixture(scope="module")
def tab():
    made = Tab()
    made.report = ask(made, "run", **FIELDS)
    return made


def line_of(report, number):
    return next(line for line in report["lines"] if line["line"] == number)


def test_each_line_has_its_counts(tab):
    line = line_of(tab.report, 9)
    assert (line["requests"], line["lanes"], line["executions"]) == (256, 32, 128)
    assert (line["sectors"], line["ideal_sectors"], line["sectors_ratio"]) == (4096, 512, 8)
    assert (line["wavefronts"], line["conflicts"], line["wavefronts_ratio"]) == (4096, 3968, 32)
    out, tile = line["sites"]
    assert (out["text"], out["operation"], out["space"]) == ("out[x, y]", "store", "global")
    assert (out["transfers"], out["ideal"], out["unit"]) == (32, 4, "sectors")
    assert (tile["transfers"], tile["ideal"], tile["unit"]) == (32, 1, "passes")
    assert line_of(tab.report, 10)["divergent"] == 64
    assert line_of(tab.report, 11)["lanes"] == 1


def test_a_hazard_has_line_block_thread_index_and_words(tab):
    found = tab.report["findings"][0]
    assert (found["level"], found["kind"], found["line"]) == ("hazard", "data-race", 9)
    assert (found["array"], found["index"]) == ("tile", [1, 0])
    assert (found["block"], found["thread"]) == ([0, 0, 0], [1, 0, 0])
    assert found["message"].startswith("thread (1, 0) of block (0, 0) reads `tile[1, 0]`, which")
    assert "`cuda.syncthreads()`" in found["remedy"]
    assert [thread["line"] for thread in found["threads"]] == [9, 8]
    assert [thread["verb"] for thread in found["threads"]] == ["reads", "writes"]


def test_arrays_say_what_changed(tab):
    a, out = tab.report["arrays"]
    assert (a["name"], a["dtype"], a["shape"]) == ("a", "float32", [64, 64])
    assert a["changed"] == 63  # column 0 was set to 0, and a[0, 0] was 0 before
    assert out["values"][:3] == ["0", "1", "2"]
    assert out["before"][:3] == ["0", "0", "0"]
    assert out["is_changed"][:3] == [False, True, True]


def test_values_that_are_no_numbers_can_be_told():
    source = "from numba import cuda\n@cuda.jit\ndef k(x):\n    x[0] = x[0] / x[1]\n"
    report = ask(Tab(), "run", source=source, arguments="x: float32[2]", block="1")
    assert report["arrays"][0]["values"] == ["nan", "0"]


def test_host_code_and_totals_are_told(tab):
    assert tab.report["notes"] == [
        "Line 14 is host code and not run here: what runs is the launch below the editor."
    ]
    assert dict(tab.report["summary"])["shared memory"].endswith("3,968 of them conflicts")
    assert (tab.report["kernel"], tab.report["kernels"]) == ("transpose", ["transpose"])


def test_the_accesses_of_a_line(tab):
    found = ask(tab, "accesses", line=9, warp=3)
    assert (found["warp"], found["warps"], found["turns"]) == (3, list(range(32)), 1)
    banks, memory = found["accesses"]
    assert (banks["kind"], memory["kind"]) == ("banks", "memory")
    assert "32 wavefronts, 1 at best" in banks["says"]
    assert "32 sectors, 4 at best" in memory["says"]
    assert len(memory["rows"]) == 8 and memory["more"] == "... and 24 more rows"
    lanes = [text for _, text, _ in memory["rows"][1]["cells"] if text]
    assert (memory["rows"][1]["name"], lanes) == ("out[1, 0]", ["1"])


def test_a_line_without_a_kept_access_has_no_picture(tab):
    assert ask(tab, "accesses", line=11, warp=7)["warp"] == 7
    report = ask(Tab(), "run", **FIELDS | {"arguments": FIELDS["arguments"], "grid": "2, 2"})
    assert report["watched"] == 0
    assert "fault" in ask(tab, "accesses", line=6)


def test_the_picture_is_the_course_s_own(tab):
    banks = ask(tab, "figure", line=9)
    assert banks["svg"].startswith("<?xml") and "</svg>" in banks["svg"]
    assert "use 1 of 32 banks and take 32 passes" in banks["alt"]
    memory = ask(tab, "figure", line=8, warp=1)
    assert "a[y, x] on line 8 is read by warp 1: 4 sectors, 4 at best" in memory["alt"]


def test_the_stepper_starts_at_the_hazard_and_moves(tab):
    start = ask(tab, "step")
    assert (start["line"], start["warp"], start["hazards"]) == (9, 0, 1)
    assert "stopped at a hazard" in start["html"]
    back = ask(tab, "step", move="warp back")
    assert (back["line"], back["warp"]) == (8, 0)
    assert ask(tab, "step", move="hazard")["position"] == start["position"]
    assert ask(tab, "step", move="first")["position"] == 0
    last = ask(tab, "step", move="last")
    assert last["position"] == last["length"] - 1
    assert ask(tab, "step", position=5)["position"] == 5


def test_text_of_the_kernel_is_never_markup():
    source = "from numba import cuda\n@cuda.jit\ndef k(x):\n    x[0] = 1 if 1<2 else 3  # <b>\n"
    tab = Tab()
    ask(tab, "run", source=source, arguments="x: float32[2]", block="1")
    assert "<b>" not in ask(tab, "step", move="last")["html"].replace("<b>⚠", "")


@pytest.mark.parametrize("kind", ["accesses", "figure", "step"])
def test_before_a_run_there_is_nothing_to_show(kind):
    fields = {} if kind == "step" else {"line": 1}
    assert ask(Tab(), kind, **fields)["fault"]["message"] == "nothing has run yet"


def test_a_fault_is_one_sentence_with_its_place():
    fault = ask(Tab(), "run", **FIELDS | {"source": TRANSPOSE.replace("y, x]\n", "y x]\n", 1)})
    assert fault["fault"]["field"] == "kernel" and fault["fault"]["line"] == 8
    assert "line 8: this is not valid Python yet" in fault["fault"]["message"]
    fault = ask(Tab(), "run", **FIELDS | {"source": TRANSPOSE.replace("float32)", "[1])")})["fault"]
    assert fault["line"] == 7 and "\n" not in fault["message"] and fault["remedy"]


def test_after_a_fault_the_launch_before_is_gone(tab):
    own = Tab()
    ask(own, "run", **FIELDS)
    ask(own, "run", **FIELDS | {"grid": "0"})
    assert ask(own, "step")["fault"]["message"] == "nothing has run yet"


def test_what_threads_print_is_told_and_not_sent_to_the_terminal(capsys):
    source = "from numba import cuda\n@cuda.jit\ndef k(n):\n    print(cuda.grid(1) + n)\n"
    report = ask(Tab(), "run", source=source, arguments="n = 5", block="3")
    assert report["printed"] == "5\n6\n7"
    report = ask(Tab(), "run", source=source, arguments="n = 5", block="300")
    assert report["printed"].endswith("204\n... and 100 more lines")
    assert capsys.readouterr().out == ""
