"""A real kernel, as a notebook's front end talks to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.notebook_kernels import start_kernel

LIMIT_S = 120


class LiveKernel:
    """Runs cells one after another; what they showed comes back as messages."""

    def __init__(self, manager, client):
        self.manager, self.client = manager, client

    def send(self, code: str, **how) -> str:
        """Queue a cell; its id, for ``reply_to`` and ``shown_by``."""
        return self.client.execute(code, **how)

    def shown_by(self, cell: str, seen: Callable[[dict], None] = lambda message: None) -> list:
        """Messages of a cell's outputs, in order; ``seen`` hears each as it comes."""
        shown = []
        while True:
            message = self.client.get_iopub_msg(timeout=LIMIT_S)
            if message["parent_header"].get("msg_id") != cell:
                continue
            if message["content"].get("execution_state") == "idle":
                return shown
            if message["msg_type"] not in ("status", "execute_input"):
                shown.append(message)
                seen(message)

    def reply_to(self, cell: str) -> dict:
        while True:
            reply = self.client.get_shell_msg(timeout=LIMIT_S)
            if reply["parent_header"].get("msg_id") == cell:
                return reply["content"]

    def run(self, code: str, **how) -> list:
        return self.shown_by(self.send(code, **how))

    def interrupt_when(self, is_there: Callable[[], bool]) -> None:
        until = time.monotonic() + LIMIT_S
        while not is_there() and time.monotonic() < until:
            time.sleep(0.02)
        self.manager.interrupt_kernel()


@contextmanager
def live_kernel() -> Iterator[LiveKernel]:
    manager, client = start_kernel()
    try:
        yield LiveKernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def text_of(message: dict) -> str:
    """What a message shows, as plain text."""
    content = message["content"]
    if message["msg_type"] == "error":
        return "\n".join(content["traceback"])
    return content.get("text") or content.get("data", {}).get("text/plain", "")
