"""Every picture of a kernel, on small and awkward launches: readable, described, labeled."""

import dataclasses

import numpy as np
import pytest

from gpuedu.figures import style
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.figures.kernels.epochs import plot_epoch
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.lanes import plot_active_lanes
from gpuedu.figures.kernels.occupancy import plot_occupancy_curves
from gpuedu.lens.epochs import epoch_of
from gpuedu.lens.fit import FitCurve
from gpuedu.trace import Finding, Level, Place, Thread
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside
from tests.trace import samples
from tests.trace.building import Builder

LANE = np.arange(32)[None, :]


def one_access(element, text="a[i]", **options):
    made = Builder("def kernel(a):\n    a[i]")
    made.step(2)
    made.access(2, text, element, **options)
    return made.build()


def wordy(**changes):
    """Long names, indices in three dimensions, a long message."""
    trace = one_access(
        LANE, "an_array_with_a_long_name[i, j, k]", space="shared", shape=(4, 4, 4096)
    )
    finding = Finding(
        Level.HAZARD,
        "data-race",
        "a message that is rather long, as those of machines at times are, with `code` in it and "
        "with numbers, 1,234,567 of them, so that it has to go on for some lines",
        "a remedy that is as long, since it has to say what to write, at which of two lines, and "
        "why that is enough for all threads of the block",
        Place("kernel", 2),
        Thread((123, 45, 6), (31, 7, 3)),
        "an_array_with_a_long_name",
        (3, 3, 4095),
        Place("kernel", 2),
        Thread((123, 45, 6), (30, 7, 3)),
    )
    return trace, dataclasses.replace(finding, **changes)


def long_run():
    made = Builder("def kernel(a):\n    0", block=(300, 1, 1))
    for _ in range(300):
        made.step(2)
    return made.build()


SHARES = {128: (1.0, 0.5, 0.25, 0.125), 256: (1.0, 0.5, 0.25, 0.0), 1024: (1.0, 0.5, 0.0, 0.0)}

DRAWN = {
    "stride": lambda: plot_accesses(samples.strided(8), 5),
    "large stride": lambda: plot_accesses(samples.strided(33), "a[i * stride]", warps=(0, 1)),
    "scattered": lambda: plot_accesses(
        one_access(np.random.default_rng(1).integers(0, 9999, (1, 32)), shape=(9999,)), 2
    ),
    "one lane": lambda: plot_accesses(one_access(np.where(LANE == 7, 5, -1)), 2),
    "doubles": lambda: plot_accesses(one_access(LANE, dtype="float64"), 2),
    "16 bytes": lambda: plot_accesses(one_access(LANE, dtype="complex128"), 2),
    "halves": lambda: plot_accesses(one_access(LANE, dtype="float16"), 2),
    "bytes": lambda: plot_accesses(one_access(LANE * 3, dtype="int8"), 2),
    "broadcast": lambda: plot_accesses(one_access(LANE * 0), 2),
    "atomics": lambda: plot_accesses(samples.histogram(4), 4),
    "long names": lambda: plot_accesses(wordy()[0], 2),
    "shared and global": lambda: plot_accesses(samples.transpose(), 7, warps=(0, 1, 2, 3)),
    "banks": lambda: plot_banks(samples.transpose(), 7),
    "padded banks": lambda: plot_banks(samples.transpose(33), "tile", warp=31),
    "banks, doubles": lambda: plot_banks(one_access(LANE * 2, space="shared", dtype="float64"), 2),
    "banks, broadcast": lambda: plot_banks(one_access(LANE * 0, space="shared"), 2),
    "epoch": lambda: plot_epoch(epoch_of(samples.racing(), "s")),
    "epoch of a tile": lambda: plot_epoch(epoch_of(samples.transpose(33), "tile")),
    "epoch of a cube": lambda: plot_epoch(epoch_of(wordy()[0], "an_array_with_a_long_name")),
    "lanes": lambda: plot_active_lanes(samples.block_sum()),
    "lanes of part of a warp": lambda: plot_active_lanes(samples.branches(40)),
    "lanes of many steps": lambda: plot_active_lanes(long_run()),
    "race": lambda: plot_hazard(samples.racing()),
    "out of bounds": lambda: plot_hazard(samples.racing(), samples.racing().findings[1]),
    "race, wordy": lambda: plot_hazard(*wordy()),
    "beyond, wordy": lambda: plot_hazard(*wordy(index=(3, 3, 4096), other=None)),
    "far beyond, wordy": lambda: plot_hazard(*wordy(index=(3, 3, 2**31), other=None)),
    "before, wordy": lambda: plot_hazard(*wordy(index=(-1, 3, 2), other=None)),
    "no element": lambda: plot_hazard(*wordy(index=(), array="", other=None)),
    "no thread": lambda: plot_hazard(*wordy(index=(), array="", who=None, other=None)),
    "occupancy by registers": lambda: plot_occupancy_curves(
        [FitCurve(f"{n} threads a block", (32, 64, 128, 255), SHARES[n]) for n in SHARES],
        x="registers a thread",
        device="H100",
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_each_is_fit_to_print(name):
    ax = DRAWN[name]()
    assert len(style.alt_text(ax)) > 40
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    source = ax.figure.get_supxlabel()
    assert any(word in source for word in ("not timed", "nothing is timed", "not measured"))
    assert ax.get_title(loc="left")
    width, height = ax.figure.get_size_inches()
    assert width == style.WIDTH_IN and height < 9.5


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot_accesses(samples.strided(8), 5, ax=ax),
        lambda ax: plot_banks(samples.transpose(), 7, ax=ax),
        lambda ax: plot_epoch(epoch_of(samples.racing(), "s"), ax=ax),
        lambda ax: plot_active_lanes(samples.block_sum(), ax=ax),
        lambda ax: plot_hazard(samples.racing(), ax=ax),
    ],
)
def test_each_draws_into_the_axes_it_is_given(draw):
    ax = style.new_axes(4.0)
    assert draw(ax) is ax
