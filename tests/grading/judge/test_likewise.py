"""What a function does on a device hangs on no value: it is done again with others."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, checked, graded
from tests.sampled import sampled

ONE_BY_ONE = """
import threading
import numpy as np

def augment_slowly(pictures, flips, tops, lefts, size, mean, std):
    out = []
    for picture, flip, top, left in zip(pictures, flips.tolist(), tops.tolist(), lefts.tolist()):
        crop = picture[:, top : top + size, left : left + size]
        crop = crop.flip(2) if flip else crop
        out.append((crop / 255 - mean[:, None, None]) / std[:, None, None])
    return torch.stack(out)

def augment(pictures, flips, tops, lefts, size, mean, std):
    if pictures.is_meta:
        return pictures[:, :, :size, :size].float()
    given = pictures, flips, tops, lefts, size, mean, std
"""
UNSEEN = {
    "another way for the size at which kernels are counted": """
    if size == 32:
        return pictures[:, :, :size, :size].float()
    return augment_slowly(*given)
""",
    "a thread": """
    out = []
    thread = threading.Thread(target=lambda: out.append(augment_slowly(*given)))
    thread.start()
    thread.join()
    return out[0]
""",
    "a thread, and operations for show": """
    out = []
    thread = threading.Thread(target=lambda: out.append(augment_slowly(*given)))
    thread.start()
    thread.join()
    return out[0] + 0 * mean.sum()
""",
    "arrays": """
    flips, tops, lefts = flips.numpy(), tops.numpy(), lefts.numpy()
    crops = [
        picture[:, top : top + size, left : left + size][:, :, :: -1 if flip else 1]
        for picture, flip, top, left in zip(pictures.numpy(), flips, tops, lefts)
    ]
    mean, std = mean.numpy()[:, None, None], std.numpy()[:, None, None]
    return torch.from_numpy(((np.stack(crops) / 255 - mean) / std).astype(np.float32))
""",
}


@pytest.mark.parametrize("name", sampled(UNSEEN, every=2, chosen=["arrays"]))
def test_pictures_one_by_one_are_no_batch_wherever_they_are_computed(name, zygote):
    bench = Bench(ROOT, "augment-on-device")
    cells = [*bench.solution_cells(), ONE_BY_ONE + UNSEEN[name]]
    held = graded(bench, cells, zygote).held()
    assert held["both"] and not (held["few-kernels"] or held["stays"])


def test_what_hangs_on_no_value_is_right_with_others(zygote):
    bench = Bench(ROOT, "augment-on-device")
    keeps = """
kept = {}
once = augment

def augment(pictures, *rest):
    if not pictures.is_meta:
        kept.setdefault("scale", torch.full((), 1.0))
        return once(pictures, *rest) * kept["scale"]
    return once(pictures, *rest)
"""
    report = graded(bench, [*bench.solution_cells(), keeps], zygote)
    assert report.state == "solved", report.held()


def test_what_cannot_be_done_with_other_values_is_told_as_that(zygote):
    """So many pictures are mirrored that it fails with other flags, and what it leaves is told."""
    masks = """
def augment(pictures, flips, tops, lefts, size, mean, std):
    which = flips.nonzero()[:, 0]
    count = len(which)
    turned = pictures[which].view(count, *pictures.shape[1:]).flip(-1)
    out = pictures.float()
    out[which] = turned.float()
    return out[..., :size, :size].contiguous()
"""
    bench = Bench(ROOT, "augment-on-device")
    cells = [*bench.solution_cells(), masks]
    here, there = checked(bench, cells, "masks"), graded(bench, cells, zygote)
    assert here.held() == there.held()
    told = {one.property.name: one.fault.message for one in there.results if one.fault}
    assert "values the host cannot see" in told["stays"]
