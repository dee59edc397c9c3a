"""The sampler names the line of a data set that takes the time."""

from __future__ import annotations

import sys

from gpuedu.profiling.loaders import LineSampler

SLOW = """\
def read(is_enough):
    x = 0
    while not is_enough():
        for _ in range(1000): x += 1
"""


def test_the_line_with_the_most_samples(tmp_path):
    path = tmp_path / "data.py"
    path.write_text(SLOW)
    names: dict = {}
    exec(compile(SLOW, str(path), "exec"), names)
    sampler = LineSampler()
    with sampler.sampling():
        names["read"](lambda: sum(sampler._found.values()) >= 20)
    sampler.stop()
    site, share = sampler.most()
    assert (site.file, site.line) == (str(path), 4) and 0.5 < share <= 1


def test_too_few_samples_name_nothing():
    sampler = LineSampler()
    sampler._look(sys._getframe())
    assert sampler.most() is None
