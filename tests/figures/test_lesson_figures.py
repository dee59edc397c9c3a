"""The figures of the lesson Welcome: what is drawn is what was handed in, and it can be read."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.registry import load_picture
from gpuedu.exercises.welcome.bandwidth.measure import measure_bandwidth
from gpuedu.figures.style import alt_text, to_png
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


def timer(launch, sync, warmup, repeats, now):
    for _ in range(warmup):
        launch()
    times = []
    for _ in range(repeats):
        sync()
        start = now()
        launch()
        sync()
        times.append(now() - start)
    return statistics.median(times)


def deaf_timer(launch, sync, warmup, repeats, now):
    start = now()
    for _ in range(warmup + repeats):
        launch()
    return now() - start


def blind_timer(launch, sync, warmup, repeats, now):
    launch()
    return 0.0


TIMES = {"copy": 0.01, "scale": 0.011, "add": 0.015, "triad": 0.016}
TIMES |= {"n": 16_000_000, "itemsize": 4, "device": "this machine's CPU"}


def rate(kernel, n, itemsize, time_s):
    return (2 if kernel in ("copy", "scale") else 3) * n * itemsize / time_s / 1e9


def share(launch_s, rate_, n):
    return launch_s / (launch_s + n / rate_)


def enough(launch_s, rate_, part):
    return math.ceil(launch_s * rate_ * (1 - part) / part)


DRAWN = {
    "machine": lambda: load_picture("welcome/machine")(),
    "places": lambda: load_picture("welcome/places")(),
    "timer": lambda: load_picture("honest-timer")(timer),
    "deaf timer": lambda: load_picture("honest-timer")(deaf_timer),
    "bandwidth": lambda: load_picture("bandwidth")(rate, TIMES),
    "wrong bandwidth": lambda: load_picture("bandwidth")(lambda *_: 0, TIMES),
    "launch": lambda: load_picture("launch-bound")(share, enough),
    "wrong launch": lambda: load_picture("launch-bound")(lambda *_: -3.0, lambda *_: 0),
    "launch that is nan": lambda: load_picture("launch-bound")(lambda *_: math.nan, lambda *_: 7),
}


@pytest.mark.parametrize("name", DRAWN)
def test_each_is_fit_to_print(name):
    ax = DRAWN[name]()
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(ax)) > 10_000


def test_the_watch_is_shaded_where_it_ran():
    ax = load_picture("honest-timer")(timer)
    spans = [patch for patch in ax.patches if patch.get_alpha() == 0.16]
    widths = sorted(patch.get_width() for patch in spans)
    kernels = sorted(1e3 * t for t in (1.1e-3, 1.0e-3, 2.4e-3, 1.1e-3))
    assert np.allclose(widths, [0.2 + kernel for kernel in kernels])


def test_dots_are_the_learners_rates():
    ax = load_picture("bandwidth")(rate, TIMES)
    drawn = [line.get_xdata()[0] for line in ax.lines]
    for kernel in ("copy", "scale", "add", "triad"):
        assert any(np.isclose(x, rate(kernel, 16_000_000, 4, TIMES[kernel])) for x in drawn)


def test_the_curve_is_the_learners_function():
    ax = load_picture("launch-bound")(share, enough)
    x, y = ax.lines[0].get_data()
    assert np.allclose(y, [100 * share(5e-6, 6e11, n) for n in x])
    marks = [line.get_xdata()[0] for line in ax.lines[1:]]
    assert marks == [enough(5e-6, 6e11, part) for part in (0.5, 0.1, 0.01)]


def test_a_watch_that_never_read_the_clock_is_told():
    with pytest.raises(AnswerError, match="never read"):
        load_picture("honest-timer")(blind_timer)


@pytest.mark.parametrize("times", [{}, {"n": 3}])
def test_without_times_the_picture_says_what_to_run(times):
    with pytest.raises(AnswerError, match="no times to draw"):
        load_picture("bandwidth")(rate, times)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_rate_that_is_no_number_is_refused(value):
    with pytest.raises(AnswerError, match="finite"):
        load_picture("bandwidth")(lambda *_: value, TIMES)


def test_the_measurement_times_the_four_kernels():
    times = measure_bandwidth(size_bytes=4_000_000)
    assert {"copy", "scale", "add", "triad"} <= set(times)
    assert (times["n"], times["itemsize"]) == (1_000_000, 4)
    assert all(times[kernel] > 0 for kernel in ("copy", "scale", "add", "triad"))
