"""Threads of a learner's on a play's clock: they run beside the code, and time is elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.course.proof import Bench
from gpuedu.grading.judge import examining
from tests.exercises.stored import stored_text
from tests.grading.test_equal_verdicts import ROOT, SEED, graded
from tests.sampled import sampled

FORGED = {
    "nobody is left": (
        "leaves_the_thread",
        """
from gpuedu.clock import VirtualClock
VirtualClock.settle = lambda self, limit_s=60.0: ()
""",
    ),
    "no time passes": (
        "without_a_thread",
        """
from gpuedu.clock import VirtualClock
VirtualClock.now = lambda self: 0.0
""",
    ),
    "nothing is ahead": (
        "no_limit",
        """
from gpuedu.exercises.feed_the_gpu.prefetch import runs
told = runs._Run.result

def result(self, end_s):
    self.ahead = 0
    return told(self, end_s)

runs._Run.result = result
""",
    ),
}


@pytest.mark.parametrize("name", sampled(FORGED, every=2))
def test_what_is_counted_is_not_where_the_threads_run(name, zygote):
    bench = Bench(ROOT, "prefetch")
    answer, forgery = FORGED[name]
    cells = [*bench.solution_cells(), stored_text("prefetch", "wrong", answer)]
    plain = graded(bench, cells, zygote)
    forged = graded(bench, [*cells[:-1], forgery + cells[-1]], zygote)
    assert plain.points < 8
    assert [one.fault for one in forged.results] == [one.fault for one in plain.results]


POLLS = """
import time

def prefetch(source, depth):
    ready, state = [], {"stop": False, "over": False, "fault": None}

    def work():
        try:
            for item in source:
                ready.append(item)
                while len(ready) >= depth and not state["stop"]:
                    time.perf_counter()
                if state["stop"]:
                    return
        except BaseException as fault:
            state["fault"] = fault
        finally:
            state["over"] = True

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while True:
            while not ready and not state["over"]:
                time.perf_counter()
            if not ready:
                break
            yield ready.pop(0)
    finally:
        state["stop"] = True
        thread.join()
    if state["fault"]:
        raise state["fault"]
"""
WAITS = """
def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def put(entry):
        while not stop.is_set():
            try:
                box.put(entry, timeout=np.float64(0.003))
                return
            except queue.Full:
                pass

    def work():
        try:
            for item in source:
                put((True, item))
                if stop.is_set():
                    return
            put((False, None))
        except BaseException as fault:
            put((False, fault))

    threading.Thread(target=work).start()
    try:
        while (got := box.get())[0]:
            yield got[1]
    finally:
        stop.set()
    if got[1] is not None:
        raise RuntimeError("the source failed") from got[1]
"""


ENDS_WITH_ITS_OBJECT = """
class Ahead:
    def __init__(self, source, depth):
        self.box, self.stop = queue.Queue(depth), threading.Event()
        threading.Thread(target=self.work, args=(source, self.box, self.stop), daemon=True).start()

    @staticmethod
    def work(source, box, stop):
        def put(entry):
            while not stop.is_set():
                try:
                    return box.put(entry, timeout=0.01)
                except queue.Full:
                    pass

        try:
            for item in source:
                put(("item", item))
                if stop.is_set():
                    return
            put(("end", None))
        except BaseException as fault:
            put(("fault", fault))

    def __iter__(self):
        return self

    def __next__(self):
        if self.stop.is_set():
            raise StopIteration
        kind, got = self.box.get()
        if kind == "item":
            return got
        self.stop.set()
        raise StopIteration if kind == "end" else got

    def __del__(self):
        self.stop.set()


def prefetch(source, depth):
    return Ahead(source, depth)
"""
OWN = {
    "ends_with_its_object": ENDS_WITH_ITS_OBJECT,
    "polls": POLLS,
    "waits": WAITS,
    "naps": POLLS.replace("time.perf_counter()", "time.sleep(1e-5)"),
    "yields": POLLS.replace("time.perf_counter()", "time.sleep(0)"),
    "waits_briefly": WAITS.replace("np.float64(0.003)", "2e-5"),
}


@pytest.mark.parametrize(
    "answer", sampled([*OWN, "pool", "a_class", "joins_a_waiting_thread"], every=3)
)
def test_a_run_is_that_of_a_notebook_to_the_nanosecond(answer, zygote, monkeypatch):
    bench = Bench(ROOT, "prefetch")
    stored = {**bench.right_texts(), **bench.wrong_texts()}
    cells = [*bench.solution_cells(), OWN.get(answer) or stored[answer]]
    played = []
    report_of = examining.report_of
    monkeypatch.setattr(
        examining,
        "report_of",
        lambda exercise, cases, outcomes, **rest: (
            played.extend(outcomes) or report_of(exercise, cases, outcomes, **rest)
        ),
    )
    graded(bench, cells, zygote)
    answers = bench.answers(cells, "own")
    cases = bench.exercise.judge.cases(np.random.default_rng(SEED))
    assert len(played) == len(cases)
    for case, outcome in zip(cases, played, strict=True):
        assert outcome.observed == bench.exercise.play.run(answers, dict(case.inputs)), case.label


HOSTILE = """
solution = prefetch

def numbers(*values):
    return np.array(values, np.int32)

def prefetch(source, depth):
    link = type(source).__del__.__closure__[0].cell_contents
    looks = [["look", "", 1e-5]]
    PASSES = (
        [[["sleep", "", -1.0]], numbers(0)], [[["sleep", "", float("nan")]], numbers(0)], [5, numbers(0)],
        [["look"], numbers(0)], [looks, numbers(1)], [looks, numbers(-1)], [looks, numbers(*[0] * 10**5)],
        [looks, np.zeros((1, 1), np.int32)], [looks, np.zeros(1)], [looks, [0]], [looks],
        [[[[], "", 1e-5]], numbers(0)], [[["look", None, 1e-5]], numbers(0)], [[["look", "", 0]], numbers(0)],
        [[["work", "", 1e-5]], numbers(0)],
    )
    for name, args in (
        ("close", []), ("_clock", []), ("now", [1]), ("wait", [1, None]), ("wait", ["", "0"]), ("wait", []),
        ("wait", ["", float("nan")]), ("wait", ["", float("inf")]), ("wait", ["", -1.0]),
        ("happen", [0, [1]]), ("happen", [-1, None]), ("happen", [10**9, None]), ("happened", [True]),
        ("thread", [None]),
        *(("pass", one) for one in PASSES), ("items", []), (None, None),
    ):
        try:
            link.act(name, args)
        except Exception:
            continue
        raise SystemExit(str(name))
    for name in ("_iterator", "__dict__", "__class__", "gi_frame"):
        try:
            link.get(source._link_number, name)
        except Exception:
            continue
        raise SystemExit(name)
    return solution(source, depth)
"""


def test_nothing_but_the_clocks_own_acts_can_be_asked_for(zygote):
    bench = Bench(ROOT, "prefetch")
    report = graded(bench, [*bench.solution_cells(), HOSTILE], zygote)
    assert report.state == "solved", [one.fault for one in report.results]


TOLD = {
    "return 5": "prefetch should give an iterator, got",
    "yield 1 / 0": "it raised ZeroDivisionError: division by zero, on line 3 of its cell: `yield 1 / 0`",
    "queue.Queue().get(); yield": "nobody can go on: main waits for an item of an empty queue",
    "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); queue.Queue().get(); yield": (
        "had ended with ZeroDivisionError: division by zero"
    ),
    "threading.Thread(target=next, args=[source, 0]).start(); raise GeneratorExit; yield": "",
}


@pytest.mark.parametrize("line", TOLD)
def test_faults_are_told_as_in_a_notebook(line, zygote):
    bench = Bench(ROOT, "prefetch")
    cells = [*bench.solution_cells(), f"\ndef prefetch(source, depth):\n    {line}\n"]
    told = [
        [one.fault.message for one in report.results if one.fault]
        for report in (graded(bench, cells, zygote), bench.try_answers(cells, "own", SEED))
    ]
    assert TOLD[line] in told[1][0]
    assert told[0][0].startswith(told[1][0])


INVENTS = {
    "items that were never given": "{'item': 3}",
    "an error that nobody raised": "{'fault': 1}",
    "an item for an error": "{'item_fault': 0}",
    "another form": "['item']",
    "no end": "{'item': None}",
}


@pytest.mark.parametrize("name", INVENTS)
def test_items_and_errors_cannot_be_invented(name, zygote):
    bench = Bench(ROOT, "prefetch")
    cell = f"""
from gpuedu.grading.player.device.iterators import Iterators
ask = Iterators.ask
Iterators.ask = lambda self, what, number: {INVENTS[name]} if what == "next" else ask(self, what, number)
"""
    report = graded(bench, [*bench.solution_cells(), cell], zygote)
    assert report.points <= 1
    assert not report.held()["order"]


TOO_MUCH = {
    "threads": "[threading.Thread(target=lambda: None).start() for _ in range(1000)]",
    "a thread that never ends": "threading.Thread(target=spin).start()",
    "a thread that ends the process": "threading.Thread(target=lambda: os._exit(0)).start()",
    "a line that is closed": "link._channel.close()",
}


@pytest.mark.parametrize("name", sampled(TOO_MUCH, every=2))
def test_too_much_ends_as_a_fault_of_the_learners(name, zygote):
    bench = Bench(ROOT, "prefetch")
    cell = f"""
import os
def spin():
    while True:
        pass

def prefetch(source, depth):
    link = type(source).__del__.__closure__[0].cell_contents
    {TOO_MUCH[name]}
    yield from source
"""
    report = graded(bench, [*bench.solution_cells(), cell], zygote)
    assert report.points == 0
    solved = graded(bench, bench.solution_cells(), zygote)
    assert solved.state == "solved"
