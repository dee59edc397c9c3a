import logging
import math
from itertools import product

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.why_gpus import machines
from gpuedu.exercises.why_gpus.amdahl.picture import SHARES, WORKERS
from gpuedu.exercises.why_gpus.check_the_claim.claims import CLAIMS, FACTS
from gpuedu.exercises.why_gpus.count_the_work.picture import BATCHES
from gpuedu.figures.curves import NOTHING
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)
from tests.sampled import sampled

PICTURES = pictures_of("why-gpus")

TIMES = {
    "python_ns": 151.2,
    "numpy_ns": 1.4,
    "one_core_ns": 0.6,
    "all_cores_ns": 0.3,
    "cores": 2,
    "n": 4_000_000,
}


def of_solution(exercise, *names):
    answers = solution_answers(exercise)
    return tuple(answers[name] for name in names)


amdahl, amdahl_limit = of_solution("amdahl", "amdahl", "amdahl_limit")
linear_work, intensity = of_solution("count-the-work", "linear_work", "intensity")
break_even, break_even_with_copies = of_solution(
    "break-even", "break_even", "break_even_with_copies"
)

RIGHT = {
    "parallel-cpu": (TIMES,),
    "amdahl": (amdahl, amdahl_limit),
    "who-is-independent": (
        {"saxpy": ("1", "1"), "prefix": ("n", "log n"), "pairwise": ("log n", "n**2")},
    ),
    "count-the-work": (linear_work, intensity),
    "littles-law": of_solution("littles-law", "bytes_in_flight", "threads_needed"),
    "break-even": (break_even, break_even_with_copies),
}
OF_FUNCTIONS = ("amdahl", "count-the-work", "littles-law", "break-even")
TEXTS = ("why-gpus/loops", "why-gpus/facts")
WRONG = (0, 1, -1, -0.5, math.nan, math.inf, -math.inf, 1e300, 1e-300, 10**400, None, "2", (1, 2))
WRONG += (True, 1j, [math.nan, 0], (0, 0), (1e9, 0.0))


def texts(ax):
    return [text.get_text() for text in ax.texts]


def curves(ax):
    return [line for line in ax.lines if line.get_linestyle() == "-"]


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in TEXTS])
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*RIGHT.get(name, ())))
    assert caplog.messages == []


def test_the_loops_are_listed_as_code():
    listing = PICTURES["why-gpus/loops"]()
    compile(listing, "<loops>", "exec")
    assert listing.count("def ") == 10


def test_the_page_of_facts_has_every_claim_key_and_source_and_no_answer():
    page = PICTURES["why-gpus/facts"]()
    for claim in CLAIMS:
        assert all(f'"{key}"' in page for key, _ in claim.asks)
    for fact in FACTS:
        assert fact.source.url in page
    assert not any(answer in page for answer in ("16896", "2560", "989.5"))
    assert max(map(len, page.splitlines())) <= 170


@pytest.mark.parametrize(
    ("name", "value"), sampled(product(OF_FUNCTIONS, WRONG), every=5), ids=repr
)
def test_every_picture_is_drawn_while_the_functions_are_wrong(name, value):
    assert_fit_to_print(PICTURES[name](lambda *_: value, lambda *_: value))


@pytest.mark.parametrize(
    ("key", "value"),
    sampled(
        product(["python_ns", "numpy_ns", "all_cores_ns"], [0, -3.0, math.nan, math.inf, 1e12]),
        every=4,
    ),
)
def test_strange_times_are_drawn(key, value):
    assert_fit_to_print(PICTURES["parallel-cpu"]({**TIMES, key: value}))


@pytest.mark.parametrize("times", [{}, None, {"python_ns": 3.0}, 4.0])
def test_without_times_the_learner_is_told_to_measure(times):
    with pytest.raises(AnswerError, match="no times"):
        PICTURES["parallel-cpu"](times)


def test_bars_of_parallel_cpu_say_time_and_factor():
    shown = texts(PICTURES["parallel-cpu"](TIMES))
    assert "151 ns" in shown
    assert "1.4 ns, 108 times as fast as pure Python" in shown
    assert "0.3 ns, 504 times as fast as pure Python" in shown


def test_amdahl_draws_the_learners_curves_and_limits():
    ax = PICTURES["amdahl"](lambda p, n: 3 * n**p, lambda p: 7 / (1 - p))
    for p, line in zip(SHARES, curves(ax), strict=True):
        assert list(line.get_xdata()) == list(WORKERS)
        assert list(line.get_ydata()) == pytest.approx([3 * n**p for n in WORKERS])
    dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() != "-"]
    assert dashed == pytest.approx([7 / (1 - p) for p in SHARES])
    assert "p = 0.5: limit 14" in texts(ax)


def test_amdahl_without_a_curve_says_so_and_names_the_limits():
    shown = texts(PICTURES["amdahl"](lambda p, n: math.nan, amdahl_limit))
    assert NOTHING in shown and "p = 0.9: limit 10" in shown


def test_one_wrong_share_costs_only_its_own_curve():
    ax = PICTURES["amdahl"](lambda p, n: -1 if p == 0.9 else amdahl(p, n), amdahl_limit)
    assert len(curves(ax)) == 3


def test_independence_is_drawn_without_and_with_answers():
    assert not any("you:" in text for text in texts(PICTURES["who-is-independent"]()))
    shown = texts(PICTURES["who-is-independent"](*RIGHT["who-is-independent"]))
    assert "you: n as written, log n at best" in shown
    assert [text for text in shown if text.startswith("longest")] == [
        "longest chain: 1 step",
        "longest chain: 7 steps, like n",
        "longest chain: 3 steps, like log n",
    ]


@pytest.mark.parametrize(
    "answers",
    [{"saxpy": ...}, {"saxpy": ("1",)}, {"prefix": (3, None)}, 7, {"saxpy": ("1" * 99, "")}],
)
def test_strange_answers_do_not_spoil_the_drawing(answers):
    assert_fit_to_print(PICTURES["who-is-independent"](answers))


def test_count_the_work_draws_the_learners_intensity_and_its_crossing():
    ax = PICTURES["count-the-work"](linear_work, lambda flop, size: 2 * flop / size)
    (line,) = [
        line for line in curves(ax) if len(line.get_xdata()) > 2 and line.get_marker() == "o"
    ]
    expected = [2 * intensity(*linear_work(n, 4096, 4096, 2)) for n in BATCHES]
    assert list(line.get_ydata()) == pytest.approx(expected)
    assert any("data sheet" in text for text in texts(ax))
    ridge = next(line.get_ydata()[0] for line in ax.lines if line.get_linestyle() != "-")
    first = next(
        n for n in range(1, 4097) if 2 * intensity(*linear_work(n, 4096, 4096, 2)) >= ridge
    )
    assert any(text.startswith(f"from batch {first} on") for text in texts(ax))


def test_littles_law_draws_the_learners_bytes_and_threads():
    ax = PICTURES["littles-law"](lambda latency, rate: 5 * latency * rate, lambda *_: 1234)
    ends = [line.get_xdata()[0] for line in ax.lines]
    expected = [5 * memory.latency_s * memory.bytes_per_s for memory in machines.memories()]
    assert ends == pytest.approx(expected[::-1])
    threads = [text for text in texts(ax) if "= 1,234 threads" in text]
    lines = [text for text in texts(ax) if "= 60 cache lines of 64 bytes" in text]
    assert len(threads) == len(machines.memories()) - 2
    assert len(lines) == 1  # one CPU core: 5 x 768 bytes


def test_break_even_marks_the_learners_points():
    ax = PICTURES["break-even"](lambda *_: 30_000, break_even_with_copies)
    marked = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    assert marked[0] == 30_000 and 38_000 < marked[1] < 40_000
    assert "GPU:\nfaster from n = 30,000" in texts(ax)


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (math.inf, "GPU\n(you: never faster)"),
        (0, "GPU\n(you: no number above 0)"),
        (1e15, "GPU\n(you: faster from n = 1e+15)"),
    ],
)
def test_break_even_says_what_it_cannot_mark(n, said):
    ax = PICTURES["break-even"](lambda *_: n, break_even_with_copies)
    assert said in texts(ax)


def test_the_right_break_even_points_lie_where_the_curves_cross():
    ax = PICTURES["break-even"](break_even, break_even_with_copies)
    cpu, gpu, copies = (dict(zip(*line.get_data(), strict=True)) for line in curves(ax)[:3])
    points = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 1]
    for point, other in zip(points, (gpu, copies), strict=True):
        assert all((other[n] < cpu[n]) == (n >= point) for n in cpu)


def test_the_table_has_what_the_lesson_asks_for():
    lesson = {
        f"why-gpus/{name}"
        for name in ("latency-throughput", "bad-at", "chip", "stack", "layer", "energy")
    }
    assert set(PICTURES) == lesson | set(RIGHT) | set(TEXTS)


def test_a_fault_in_the_learners_function_is_theirs():
    with pytest.raises(ZeroDivisionError):
        PICTURES["amdahl"](lambda p, n: 1 / 0, amdahl_limit)


def test_functions_that_return_nothing_are_told_so_and_not_as_nan():
    ax = PICTURES["amdahl"](lambda p, n: None, lambda p: None)
    assert "nan" not in alt_text(ax)
    assert "p = 0.5: no number above 0 on 4,096 workers" in alt_text(ax)
