"""What crosses the link, by the account of the machine's host API."""

from __future__ import annotations

import pytest

from gpuedu.exercises.first_kernels.copies import ELEMENTS, LAUNCHES, count_copies
from gpuedu.exercises.registry import load
from gpuedu.simt.host import transfers


def test_numpy_arrays_go_there_and_back_at_every_launch():
    by_numpy, _ = count_copies(1000)
    assert by_numpy.to_device_bytes == by_numpy.to_host_bytes == LAUNCHES * 3 * 4000
    assert by_numpy.copies == LAUNCHES * 6


def test_device_arrays_go_once():
    _, by_device = count_copies(1000)
    assert (by_device.to_device_bytes, by_device.to_host_bytes) == (8000, 4000)
    assert by_device.copies == 3


def test_the_prediction_is_what_is_counted():
    truth = load("blocks").judge.predictions["blocks-copies"].truth
    by_numpy, by_device = count_copies(ELEMENTS)
    assert by_numpy.size_bytes == pytest.approx(truth * 1e6)
    assert by_device.size_bytes == pytest.approx(12e6)


def test_copies_are_counted_when_the_account_is_full():
    note = transfers.note_transfer
    for _ in range(10_001):
        note(transfers.Direction.HOST_TO_DEVICE, 4, "another's")
    by_numpy, by_device = count_copies(1000)
    assert (by_numpy.copies, by_device.copies) == (LAUNCHES * 6, 3)
    transfers.reset_transfers()
