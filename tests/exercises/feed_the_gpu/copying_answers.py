"""Answers to the exercises on the way to the device, written another way than the solution."""

from __future__ import annotations

from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def pipeline(device, chunks, results, kernel, slots=2, skip=""):
    """The waits named in ``skip`` are left out: "filled", "saved", "used", "made", "end"."""
    up, run, down = (device.stream(name) for name in ("up", "run", "down"))
    x = [device.buffer(chunks[0].size_bytes, "x") for _ in range(slots)]
    y = [device.buffer(results[0].size_bytes, "y") for _ in range(slots)]
    filled, used, saved = ([device.event() for _ in x] for _ in range(3))

    def wait(stream, event, name):
        if name != skip:
            stream.wait_event(event)

    for i, (chunk, result) in enumerate(zip(chunks, results, strict=True)):
        k = i % slots
        wait(up, used[k], "used")
        device.copy(x[k], chunk, up)
        filled[k].record(up)
        wait(run, filled[k], "filled")
        wait(run, saved[k], "saved")
        device.launch(kernel, reads=[x[k]], writes=[y[k]], stream=run)
        used[k].record(run)
        wait(down, used[k], "made")
        device.copy(result, y[k], down)
        saved[k].record(down)
    if skip != "end":
        device.synchronize()


REFERENCE = {
    "streams": (pipeline,),
}


def hand_in(exercise: str, *answers, seed: int = 0, **replaced) -> Report:
    """The verdict on these answers, or on the reference with some of its functions replaced."""
    given = answers or [replaced.get(one.__name__, one) for one in REFERENCE[exercise]]
    return examine(load(exercise), given, seed)


def lost(report: Report) -> set[str]:
    return {name for name, holds in report.held().items() if not holds}


def fault(report: Report, name: str):
    (found,) = (result.fault for result in report.results if result.property.name == name)
    return found
