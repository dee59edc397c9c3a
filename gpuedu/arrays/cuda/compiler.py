"""``cp.cuda.compiler``: the error of a source text that does not compile."""

from __future__ import annotations

from typing import Any

from gpuedu.arrays.lists import missing
from gpuedu.compilers.nvrtc_errors import CudaCError as CompileException  # noqa: F401


def __getattr__(name: str) -> Any:
    raise missing("cupy.cuda.compiler", name)
