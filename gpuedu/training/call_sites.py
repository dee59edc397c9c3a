"""Which line of a program a call came from, with the frames of libraries left out."""

from __future__ import annotations

import linecache
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import torch

_TORCH = Path(torch.__file__).parent
_LIBRARIES = (
    *(
        str(path)
        for path in (
            _TORCH,
            Path(__file__).resolve().parents[1],
            sysconfig.get_path("stdlib"),
            sysconfig.get_path("purelib"),
        )
    ),
    # Code that was written at run time, and Python's own start.
    "<string>",
    "<frozen ",
)
_OWN_FILES = tuple(
    str(_TORCH / name) for name in ("_tensor.py", "functional.py", "_jit_internal.py")
)
"""Where torch writes a tensor's own functions in Python: a ``print`` passes through them."""
_LOADER = str(_TORCH / "utils" / "data")
_HOST_ONLY = "_get_value"
"""The function of torch.optim that reads step counters, which PyTorch keeps on the host."""


@dataclass(frozen=True)
class CallSite:
    """A line of a program; ``line`` counts from 1, ``via`` is the library function it called."""

    file: str
    line: int
    function: str
    text: str
    via: str


def find_caller(frame: FrameType | None, *, own_file: str | tuple[str, ...]) -> CallSite | None:
    """The innermost line outside libraries and ``own_file``, or None for host-side work.

    Host-side is what ``torch.utils.data`` does, or calls, and what an optimizer does with its count
    of steps: both handle tensors that are never on the device. If every frame is a library's, the
    result is the innermost one, or None if there is no frame at all.
    """
    own_files = (own_file,) if isinstance(own_file, str) else own_file
    frames = [one for one in _stack(frame) if one.f_code.co_filename not in own_files]
    if not frames:
        return None
    outside = next((at for at, one in enumerate(frames) if not is_library(one)), 0)
    inside = frames[:outside]
    if any(one.f_code.co_name == _HOST_ONLY for one in inside):
        return None
    if any(_is_in(one, (_LOADER,)) for one in frames):
        return None
    is_through = inside and not _is_in(inside[-1], _OWN_FILES)
    return site_of(frames[outside], via=inside[-1].f_code.co_qualname if is_through else "")


def site_of(frame: FrameType, *, via: str = "") -> CallSite:
    """The line that a frame is in."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    return CallSite(
        file=file,
        line=line,
        function=frame.f_code.co_name,
        text=linecache.getline(file, line, frame.f_globals).strip(),
        via=via,
    )


def is_library(frame: FrameType) -> bool:
    """True if a frame runs library code: Python's, PyTorch's, gpuedu's or a package's."""
    return is_library_file(frame.f_code.co_filename)


def is_library_file(file: str) -> bool:
    """True if a file is Python's, PyTorch's, gpuedu's or an installed package's."""
    return file.startswith(_LIBRARIES)


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames from the innermost out."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_in(frame: FrameType, places: tuple[str, ...]) -> bool:
    return frame.f_code.co_filename.startswith(places)
