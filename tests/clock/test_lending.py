"""Lending the stand-ins: to this code, for this time, and to nobody else."""

from __future__ import annotations

import builtins
import queue
import sys
import threading
import time
from contextlib import contextmanager
from types import ModuleType

import pytest

from gpuedu.clock import VirtualClock, lend

SOURCE = """
import time
import queue as q
import threading
import concurrent.futures
from queue import Queue, Empty
from threading import Thread
from time import perf_counter as watch, sleep

def plain():
    time.sleep(1); sleep(1)
    return watch(), Queue is q.Queue, Empty

def local_imports():
    import time as t
    from time import sleep as rest
    import concurrent.futures as pool
    import concurrent.futures
    from concurrent.futures import ThreadPoolExecutor
    t.sleep(1); rest(1)
    assert concurrent.futures is pool and pool.ThreadPoolExecutor is ThreadPoolExecutor
    with ThreadPoolExecutor(1) as one:
        one.submit(t.sleep, 1).result()
    return watch()

class Reader(Thread):
    def __init__(self):
        super().__init__(name="reader")
        self.out = Queue(1)
    def run(self):
        for item in range(3):
            sleep(1)
            self.out.put(item)

class Box(Queue):
    def _put(self, item):
        super()._put(2 * item)

def subclasses():
    reader, box = Reader(), Box()
    reader.start()
    box.put(4)
    return [reader.out.get() for _ in range(3)], watch(), box.get()

class Loader:
    def __call__(self):
        sleep(2)
        return watch()

def missing():
    return threading.Timer
"""


@pytest.fixture
def cell():
    module = ModuleType("cell")
    exec(SOURCE, vars(module))
    return module


def on_the_clock(answer):
    with VirtualClock(), lend(answer):
        return answer()


def test_names_of_the_namespace_are_swapped(cell):
    assert on_the_clock(cell.plain) == (2.0, True, queue.Empty)


def test_imports_inside_are_swapped(cell):
    assert on_the_clock(cell.local_imports) == 3.0


def test_subclasses_get_the_standin_as_base(cell):
    assert on_the_clock(cell.subclasses) == ([0, 1, 2], 3.0, 8)
    assert cell.Reader.__bases__ == (threading.Thread,)
    assert cell.Box.__bases__ == (queue.Queue,)


def test_an_object_lends_to_the_code_of_its_class(cell):
    assert on_the_clock(cell.Loader()) == 2.0
    assert on_the_clock(cell.Loader().__call__) == 2.0


def test_what_is_not_there_is_said(cell):
    with pytest.raises(AttributeError, match="`threading` has no 'Timer'; it has Barrier, Bounded"):
        on_the_clock(cell.missing)


def test_everything_is_given_back_also_after_an_exception(cell):
    before, importer = dict(vars(cell)), builtins.__import__
    with pytest.raises(KeyError), VirtualClock(), lend(cell.plain, cell.Reader, cell.Loader()):
        raise KeyError
    assert vars(cell) == before
    assert builtins.__import__ is importer


def test_others_see_the_real_modules(cell):
    stranger = ModuleType("stranger")
    exec("import time\ndef f():\n    import time as t\n    return t, time", vars(stranger))
    with VirtualClock(), lend(cell.plain):
        assert stranger.f() == (time, time)
        assert sys.modules["time"] is time
        assert threading.Thread.__module__ == "threading"


def test_what_is_in_another_process_is_lent_to_there():
    lent = []

    class Afar:
        @contextmanager
        def lend_afar(self):
            lent.append("in")
            yield
            lent.append("out")

    with VirtualClock(), lend(Afar()):
        assert lent == ["in"]
    assert lent == ["in", "out"]
