"""A lower power limit for a while, and the default one again whatever happens.

The limit is a setting of the GPU, for every process and beyond this one. So it is changed only if
it is the default now, and put back on every exit that a process can catch: the end, a fault,
Ctrl-C, and the signals that ask a process to end. After ``kill -9`` or a power cut it is
``nvidia-smi -pl`` by hand; a restart of the driver puts it back too.
"""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.recording.bench import one_line
from gpuedu.recording.points import NotHereError
from gpuedu.recording.power_meter import query, run_program

_QUERY = "power.limit,power.default_limit,power.min_limit"
_NEAR_W = 1.0
_TRIES = 3
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def capped(pci_bus_id: str, share: float) -> Iterator[float]:
    """Limit a GPU's power to a share of its default limit while it is entered; yields the watts.

    Raises:
        NotHereError: It is not permitted or not possible here; the limit is as it was.
        GpueduError: The default limit could not be put back.
    """
    default_w, least_w = _limits(pci_bus_id)
    cap_w = float(round(share * default_w))
    if cap_w < least_w:
        raise NotHereError(f"a limit of {cap_w:g} W is below the lowest here, {least_w:g} W")
    with _handling(_interrupt, _ENDING):
        try:
            _set(pci_bus_id, cap_w)
            yield cap_w
        finally:
            with _handling(signal.SIG_IGN, (signal.SIGINT, *_ENDING)):
                _restore(pci_bus_id, default_w)


def _limits(pci_bus_id: str) -> tuple[float, float]:
    """The default limit, which is in force, and the lowest that may be set, in watts."""
    try:
        now_w, default_w, least_w = query(pci_bus_id, _QUERY)
    except Exception as fault:  # no program, or one that fails
        raise NotHereError(f"the power limit cannot be read ({one_line(fault)})") from fault
    if now_w is None or default_w is None:
        raise NotHereError("the power limit cannot be read")
    if abs(now_w - default_w) > _NEAR_W:
        raise NotHereError(
            f"the power limit is {now_w:g} W already, and not the default of {default_w:g} W: "
            f"it is left as it is; `nvidia-smi -i {pci_bus_id} -pl {default_w:g}` would reset it"
        )
    return default_w, least_w or 0.0


def _set(pci_bus_id: str, limit_w: float) -> None:
    try:
        said = run_program("-i", pci_bus_id, "-pl", f"{limit_w:g}")
    except subprocess.CalledProcessError as fault:
        said = " ".join(f"{fault.stdout} {fault.stderr}".split())
        raise NotHereError(f"a limit of {limit_w:g} W is not permitted ({said[:200]})") from fault
    # Where a GPU cannot be capped, the program warns and calls that a success.
    if not _is_in_force(pci_bus_id, limit_w):
        said = " ".join(said.split())
        raise NotHereError(f"a limit of {limit_w:g} W is not permitted ({said[:200]})")


def _is_in_force(pci_bus_id: str, limit_w: float) -> bool:
    now_w, *_ = query(pci_bus_id, _QUERY)
    return now_w is not None and abs(now_w - limit_w) <= _NEAR_W


def _restore(pci_bus_id: str, default_w: float) -> None:
    """Put the default limit back, and make sure that it is; where nothing was set, that is all."""
    reason = "a different limit is in force"
    for _ in range(_TRIES):
        try:
            if _is_in_force(pci_bus_id, default_w):
                return
            run_program("-i", pci_bus_id, "-pl", f"{default_w:g}")
            if _is_in_force(pci_bus_id, default_w):
                return
        except Exception as fault:  # tried again, and told at the end
            reason = one_line(fault)
    raise GpueduError(
        f"the GPU's default power limit of {default_w:g} W could not be put back ({reason})",
        remedy=f"nvidia-smi -i {pci_bus_id} -pl {default_w:g}",
    )


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def _handling(handler: Any, numbers: tuple[int, ...]) -> Iterator[None]:
    """Handle signals this way inside; only a process's main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)
