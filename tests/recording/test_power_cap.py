"""A power limit is put back on every way out, and touched only where it is the default."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from gpuedu.errors import GpueduError
from gpuedu.recording import power_cap
from gpuedu.recording.points import NotHereError
from gpuedu.recording.power_cap import capped
from tests.recording.smi import BUS, Planted


def test_the_limit_is_a_share_inside_and_the_default_after(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch)
    with capped(BUS, 0.6) as cap_w:
        assert cap_w == planted.limit_w == 300
    assert planted.limit_w == 500 and planted.set_w == [300, 500]


@pytest.mark.parametrize("fault", [ValueError("a"), KeyboardInterrupt(), SystemExit(3)])
def test_it_is_put_back_after_a_fault(tmp_path, monkeypatch, fault):
    planted = Planted(tmp_path, monkeypatch)
    with pytest.raises(type(fault)), capped(BUS, 0.8):
        assert planted.limit_w == 400
        raise fault
    assert planted.limit_w == 500


@pytest.mark.skipif(not power_cap._ENDING, reason="no such signals here")
@pytest.mark.parametrize("number", power_cap._ENDING)
def test_it_is_put_back_when_the_process_is_asked_to_end(tmp_path, monkeypatch, number):
    planted = Planted(tmp_path, monkeypatch)
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), capped(BUS, 0.8):
        os.kill(os.getpid(), number)
        signal.sigtimedwait([], 30)
    assert planted.limit_w == 500 and signal.getsignal(number) is before


def test_no_signal_interrupts_putting_it_back(tmp_path, monkeypatch):
    planted, run = Planted(tmp_path, monkeypatch), power_cap.run_program
    sent = []

    def disturbed(*arguments):
        if arguments[-1] == "500":
            sent.append(arguments)
            for number in (signal.SIGINT, *power_cap._ENDING):
                os.kill(os.getpid(), number)
        return run(*arguments)

    monkeypatch.setattr(power_cap, "run_program", disturbed)
    with capped(BUS, 0.8):
        pass
    assert sent and planted.limit_w == 500


def test_another_thread_can_cap_too(tmp_path, monkeypatch):
    planted, seen = Planted(tmp_path, monkeypatch), []

    def work():
        with capped(BUS, 0.8):
            seen.append(planted.limit_w)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [400] and planted.limit_w == 500


def test_without_the_rights_it_is_said_and_nothing_is_changed(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch, refuses="Insufficient Permissions")
    with pytest.raises(NotHereError, match=r"400 W is not permitted \(.*Insufficient Perm"):
        capped(BUS, 0.8).__enter__()
    assert planted.limit_w == 500


def test_a_limit_that_is_ignored_counts_as_not_permitted(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch, ignores=True)
    with pytest.raises(NotHereError, match=r"not permitted .*not supported"):
        capped(BUS, 0.8).__enter__()
    assert planted.limit_w == 500


def test_a_limit_that_somebody_set_is_left_alone(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch, limit=450)
    with pytest.raises(NotHereError, match="is 450 W already, and not the default of 500 W"):
        capped(BUS, 0.8).__enter__()
    assert planted.limit_w == 450 and planted.set_w == []


def test_a_limit_below_the_lowest_is_not_tried(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch, least=350)
    with pytest.raises(NotHereError, match="300 W is below the lowest here, 350 W"):
        capped(BUS, 0.6).__enter__()
    assert planted.set_w == []


@pytest.mark.parametrize("state", [{"limit": "[N/A]"}, {"default": "[N/A]"}])
def test_a_gpu_that_tells_no_limit_is_not_capped(tmp_path, monkeypatch, state):
    planted = Planted(tmp_path, monkeypatch, **state)
    with pytest.raises(NotHereError, match="the power limit cannot be read"):
        capped(BUS, 0.8).__enter__()
    assert planted.set_w == []


def test_without_the_program_it_is_said(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotHereError, match="the power limit cannot be read"):
        capped(BUS, 0.8).__enter__()


def test_a_default_that_cannot_be_put_back_is_told_with_the_command(tmp_path, monkeypatch):
    planted = Planted(tmp_path, monkeypatch)
    with pytest.raises(GpueduError, match=r"500 W could not be put back") as told, capped(BUS, 0.8):
        planted.change(refuses="Insufficient Permissions")
    assert told.value.remedy == f"nvidia-smi -i {BUS} -pl 500"
    assert planted.set_w == [400, 500, 500, 500]
