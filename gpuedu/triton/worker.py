"""The process in which Triton's front end reads kernels: ``python -m gpuedu.triton.worker FD``.

An assertion in its compiled part ends the process that it runs in, which is this one. It imports
neither PyTorch nor NumPy, so it is ready within a fifth of a second.
"""

from __future__ import annotations

import pickle
import resource
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

from triton.compiler.code_generator import CodeGenerator

from gpuedu.compilers.errors import KernelCompileError
from gpuedu.triton import front_end, texts
from gpuedu.triton.last_words import mark

LONGEST_S = 60
"""For one kernel: the asking process has given up by then, or is gone."""


def serve(channel: Connection) -> None:
    """Read kernels until the other side closes the channel.

    A request is a kernel, as ``texts.told`` writes it, and the types of its arguments; or None, to
    hear that this process is ready. The answer is None, or message, line and remedy of the
    KernelCompileError.
    """
    while True:
        try:
            request = pickle.loads(channel.recv_bytes())
        except (EOFError, OSError):
            return
        signal.alarm(LONGEST_S)  # nobody handles it: it ends the process, also in compiled code
        channel.send_bytes(pickle.dumps(None if request is None else _answer(*request)))
        signal.alarm(0)


def _answer(told: Any, types: front_end.Types) -> tuple[str, int | None, str] | None:
    try:
        front_end.read(texts.rebuilt(told), types)
    except KernelCompileError as fault:
        return fault.message, fault.line, fault.remedy
    return None


def mark_lines() -> None:
    """Make the front end write which of a learner's lines it is at."""
    visit, last = CodeGenerator.visit, 0

    def marked(self: Any, node: Any) -> Any:
        nonlocal last
        line = self.begin_line + getattr(node, "lineno", 0)
        if hasattr(node, "lineno") and line != last and texts.is_own_name(self.file_name):
            last = line
            mark(line)
        return visit(self, node)

    CodeGenerator.visit = marked


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # else a core lies in the learner's folder
    mark_lines()
    serve(Connection(int(sys.argv[1])))
