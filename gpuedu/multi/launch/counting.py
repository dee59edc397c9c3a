"""Counted communication between real ranks: every call is recorded, and nothing is changed.

Each function of ``torch.distributed`` that moves data is wrapped: the call is written on the board
before it starts, and noted as an exchange when it has ended. What ``isend``, ``irecv`` and
``async_op=True`` return is wrapped too: the exchange ends when it is waited for. Collectives are
also written to the rank's file before they start, so that the launch finds ranks that called
different ones (``gpuedu.multi.launch.agreement``).

What it simplifies: ``start_s`` is when the call started, because it cannot be seen from outside
when the other side came; what compiled code sends by itself (``DistributedDataParallel``) is not
seen.
"""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from io import RawIOBase
from typing import Any

import torch
import torch.distributed as dist

from gpuedu.multi.exchanges import Exchange
from gpuedu.multi.launch.board import Board, Standing
from gpuedu.training.call_sites import CallSite, find_caller

_KINDS = {
    "send": "send",
    "isend": "send",
    "recv": "recv",
    "irecv": "recv",
    "barrier": "barrier",
    "all_reduce": "all_reduce",
    "reduce": "reduce",
    "broadcast": "broadcast",
    "all_gather": "all_gather",
    "all_gather_into_tensor": "all_gather",
    "gather": "gather",
    "scatter": "scatter",
    "reduce_scatter": "reduce_scatter",
    "reduce_scatter_tensor": "reduce_scatter",
    "all_to_all_single": "all_to_all",
}
_PEERS = {"send": "dst", "isend": "dst", "recv": "src", "irecv": "src"}
_REDUCING = ("all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor")
_ROOTS = {
    "broadcast": ("src", 1),
    "reduce": ("dst", 1),
    "scatter": ("src", 2),
    "gather": ("dst", 2),
}


class Counter:
    """What one rank's calls did, in seconds since ``began_s`` on the monotonic clock."""

    def __init__(self, board: Board, standing: Standing, log: RawIOBase, began_s: float) -> None:
        self.exchanges: list[Exchange] = []
        self._board, self._standing, self._log = board, standing, log
        self._began_s = began_s
        self._number = 0
        self._depth = 0
        self._originals: dict[str, Any] = {}

    def __enter__(self) -> Counter:
        for name, kind in _KINDS.items():
            original = getattr(dist, name)
            self._originals[name] = original
            setattr(dist, name, self._wrap(name, kind, original))
        return self

    def __exit__(self, *_: Any) -> None:
        for name, original in self._originals.items():
            setattr(dist, name, original)

    def _wrap(self, name: str, kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def counted(*arguments: Any, **named: Any) -> Any:
            if self._depth:  # one function of torch.distributed calls another
                return original(*arguments, **named)
            site = find_caller(sys._getframe(1), own_file=__file__)
            peer = _peer_of(name, arguments, named)
            posted_s = self._now()
            self._say("calls", name, peer, site)
            if name not in _PEERS:
                self._write_down(name, kind, arguments, named, site)
            self._depth += 1
            try:
                found = original(*arguments, **named)
            finally:
                self._depth -= 1
            self._say("runs")
            size = self._given_bytes(name, arguments, named)
            note = functools.partial(self._note, kind, peer, size, posted_s, site)
            if found is not None and hasattr(found, "wait"):
                return CountedWork(found, note, functools.partial(self._say, peer=peer, site=site))
            note()
            return found

        return counted

    def _now(self) -> float:
        return time.monotonic() - self._began_s

    def _say(
        self,
        state: str,
        call: str = "",
        peer: int | None = None,
        site: CallSite | None = None,
    ) -> None:
        self._number += state == "calls"
        line, text = (site.line, site.text) if site else (0, "")
        said = {"state": state, "call": call, "peer": peer, "number": self._number}
        self._board.write(replace(self._standing, **said, line=line, text=text))

    def _given_bytes(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
        """The bytes that this rank handed over: of an output and an input, those of the input."""
        tensors = _tensors(arguments, named)
        is_root = _root(name, arguments, named) == self._standing.rank
        if not tensors or name == "scatter" or (name == "broadcast" and not is_root):
            return 0
        return tensors[-1].numel() * tensors[-1].element_size()

    def _write_down(
        self,
        name: str,
        kind: str,
        arguments: tuple[Any, ...],
        named: dict[str, Any],
        site: CallSite | None,
    ) -> None:
        """Note a collective for the comparison between ranks."""
        group = named.get("group")
        members = None if group is None else dist.get_process_group_ranks(group)
        row = {"group": members, "kind": kind, "wants": _wants(name, arguments, named)}
        row |= {"line": site.line if site else 0, "text": site.text[:200] if site else ""}
        self._log.write(json.dumps(row).encode() + b"\n")

    def _note(
        self, kind: str, peer: int | None, size: int, posted_s: float, site: CallSite | None
    ) -> None:
        line, text = (site.line, site.text) if site else (0, "")
        times_s = posted_s, posted_s, self._now()
        self.exchanges.append(Exchange(self._standing.rank, kind, peer, size, *times_s, line, text))


class CountedWork:
    """A handle that notes its exchange when it has been waited for."""

    def __init__(self, work: Any, note: Callable[[], None], say: Callable[..., None]) -> None:
        self._work, self._note, self._say = work, note, say
        self._is_noted = False

    def wait(self, *arguments: Any, **named: Any) -> Any:
        """Wait for the call."""
        self._say("calls", "wait")
        found = self._work.wait(*arguments, **named)
        self._say("runs")
        if not self._is_noted:
            self._is_noted = True
            self._note()
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)


def _peer_of(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> int | None:
    if name not in _PEERS:
        return None
    peer = named.get(_PEERS[name], arguments[1] if len(arguments) > 1 else None)
    return peer if isinstance(peer, int) else None


def _wants(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
    """What has to be the same on all ranks: shape and type, the operation, the root."""
    wants = [_describe(one) for one in _tensors(arguments, named)[-1:]]
    if name in ("gather", "scatter"):  # the list is there on the root alone
        wants = [_describe(one) for one in _tensors(arguments, named)[:1]]
    if name == "all_to_all_single" and _has_splits(arguments, named):
        rows = _tensors(arguments, named)[-1]
        wants = [f"rows of {_describe(rows.new_empty(rows.shape[1:]))}"]
    if name in _REDUCING:
        values = (*arguments, *named.values())
        ops = [one for one in values if type(one).__name__ in ("RedOpType", "ReduceOp")]
        wants.append(_last_word(ops[0]) if ops else "SUM")
    if name in _ROOTS:
        wants.append(f"{_ROOTS[name][0]}={_root(name, arguments, named)}")
    return wants


def _has_splits(arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether an all-to-all has uneven parts: then the ranks' tensors may have different shapes."""
    sizes = (named.get("output_split_sizes"), named.get("input_split_sizes"))
    return any(isinstance(one, list) and one for one in (*arguments[2:4], *sizes))


def _root(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if name not in _ROOTS:
        return None
    word, place = _ROOTS[name]
    return named.get(word, arguments[place] if len(arguments) > place else 0)


def _tensors(arguments: tuple[Any, ...], named: dict[str, Any]) -> list[torch.Tensor]:
    return [one for one in (*arguments, *named.values()) if isinstance(one, torch.Tensor)]


def _describe(tensor: torch.Tensor) -> str:
    return f"{tuple(tensor.shape)} {_last_word(tensor.dtype)}"


def _last_word(name: Any) -> str:
    return str(name).rsplit(".", 1)[-1]
