"""A block that an interruption cannot cut in two."""

from __future__ import annotations

import signal
import threading

import pytest

from gpuedu.training.interruption import finish_first

pytestmark = pytest.mark.usefixtures("interruptible")


def test_the_interruption_is_heard_after_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), finish_first():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]


def test_an_error_in_the_block_gives_the_handler_back():
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="mine"), finish_first():
        raise ValueError("mine")
    assert signal.getsignal(signal.SIGINT) is handler


def test_in_another_thread_it_lets_everything_be():
    done = []

    def work():
        with finish_first():
            done.append(threading.current_thread().name)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
    assert done == ["worker"]
