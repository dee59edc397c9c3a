"""Answers to the exercises on loading, right ones and ones with a part replaced."""

from __future__ import annotations

import queue
import threading

from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def prefetch(source, depth):
    box, stop = queue.Queue(depth), threading.Event()

    def work():
        last = ("end", None)
        try:
            for item in source:
                box.put(("item", item))
                if stop.is_set():
                    break
        except BaseException as fault:
            last = ("fault", fault)
        box.put(last)

    threading.Thread(target=work, daemon=True, name="reader").start()
    got = ("item", None)
    try:
        while (got := box.get())[0] == "item":
            yield got[1]
    finally:
        stop.set()
        while got[0] == "item":
            got = box.get()
    if got[0] == "fault":
        raise got[1]


REFERENCE = {
    "prefetch": (prefetch,),
}


def hand_in(exercise: str, seed: int = 0, **instead) -> Report:
    """The verdict on the reference with functions replaced by name."""
    answers = [instead.get(one.__name__, one) for one in REFERENCE[exercise]]
    return examine(load(exercise), answers, seed)


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [result.property.name for result in report.results if not result.holds]


def fault(report: Report, prop: str) -> str:
    """Message and likely cause of a property's first counterexample."""
    found = next(result.fault for result in report.results if result.property.name == prop)
    return f"{found.message} | {found.cause}"
