"""What a ring's messages are held against: who sent how much to whom, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuedu.exercises.collectives.collective_runs import LINK
from gpuedu.exercises.collectives.judge.collective_cases import chunk_places, element_bytes
from gpuedu.exercises.contract import Fault, Plain
from gpuedu.exercises.ranks.running import exchanges_of
from gpuedu.multi.exchanges import Exchange, link_bytes, sent_bytes
from gpuedu.units import format_time

WITHIN = 1.1
"""How much longer than with all links busy at once a run may take."""
_BY_HAND = ("send", "recv")


def collective_fault(prop: str, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
    """A fault where a rank called a collective of torch.distributed instead of building one."""
    for one in exchanges:
        if one.kind not in _BY_HAND:
            at = f" (line {one.line}: `{one.text}`)" if one.text else ""
            yield Fault(
                prop,
                f"rank {one.rank} called `dist.{one.kind}`{at}",
                "That is what you are building here, out of sends and receives.",
            )
            return


def bytes_fault(prop: str, inputs: Mapping[str, Any], observed: Plain, passes: int) -> list[Fault]:
    """A fault where the ranks did not send exactly what ``passes`` times round the ring takes.

    In all that is ``passes`` * (ranks - 1) tensors; of each rank, all chunks but one a pass.
    """
    exchanges = exchanges_of(observed["exchanges"])
    faults = list(collective_fault(prop, exchanges))
    if faults:
        return faults
    ranks, chunks = inputs["ranks"], chunk_bytes(inputs)
    whole, sent = sum(chunks), sent_bytes(exchanges, ranks)
    least, most = passes * (whole - max(chunks)), passes * (whole - min(chunks))
    wanted = f"{passes * (ranks - 1)} x {whole} = {passes * (ranks - 1) * whole}"
    wrong = [rank for rank in range(ranks) if not least <= sent[rank] <= most]
    if wrong:
        rank = wrong[0]
        wants = f"{least}" if least == most else f"{least} to {most}"
        told = f"rank {rank} sent {sent[rank]} bytes, expected {wants}: {_less(passes, whole)}"
        cause = (
            _why_rows(exchanges, inputs["shape"], whole)
            or _why_large(exchanges, chunks)
            or _why_bytes(sent, rank, whole, passes)
        )
        return [Fault(prop, told, cause)]
    if sum(sent) != passes * (ranks - 1) * whole:
        told = f"all ranks together sent {sum(sent)} bytes, expected {wanted}"
        return [Fault(prop, told, "Does every rank leave out just one chunk a time round?")]
    return []


def _less(passes: int, whole: int) -> str:
    if passes == 1:
        return f"the tensor's {whole} less one chunk"
    return f"twice the tensor's {whole} less two chunks"


def _why_rows(exchanges: Sequence[Exchange], shape: Sequence[int], whole: int) -> str:
    """A question where only whole rows of a tensor with several dimensions were sent."""
    sizes = [one.size_bytes for one in exchanges if one.kind == "send"]
    if len(shape) < 2 or not sizes or any(size % (whole // shape[0]) for size in sizes):
        return ""
    return (
        "`tensor_split` of a tensor with several dimensions cuts its first one: whole rows. Do you "
        "make a single row of `x` first?"
    )


def _why_large(exchanges: Sequence[Exchange], chunks: Sequence[int]) -> str:
    """Which message carries more than a chunk; "" where none does."""
    for one in exchanges:
        if one.kind == "send" and one.size_bytes > max(chunks):
            return (
                f"Rank {one.rank} sends {one.size_bytes} bytes to rank {one.peer} at once, and a "
                f"chunk has {max(chunks)}. Which part of the tensor does a step need?"
            )
    return ""


def _why_bytes(sent: Sequence[int], rank: int, whole: int, passes: int) -> str:
    if sent[rank] == passes * whole:
        return "That is one chunk too many each time round. In which step is nothing left to send?"
    if sum(sent) == passes * (len(sent) - 1) * whole:
        return (
            "In all it is right, but some ranks send more than others. Are your chunks as equal as "
            "can be (`tensor_split` of a row)?"
        )
    return "In each step a rank sends one chunk, to the next rank. Are all elements in a chunk?"


def neighbour_fault(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    """A fault where a rank sends to any but one neighbour, the same way round on all ranks."""
    ranks, exchanges = inputs["ranks"], exchanges_of(observed["exchanges"])
    links = link_bytes(exchanges)
    yield from collective_fault(prop, exchanges)
    for step in (1, -1):
        if links and all((src + step) % ranks == dst for src, dst in links):
            return
    if not links:
        yield Fault(prop, "no rank sent anything")
        return
    src, dst = next((one for one in links if (one[0] + 1) % ranks != one[1]), (0, 0))
    yield Fault(
        prop,
        f"with {ranks} ranks, rank {src} sends to rank {dst}; in a ring it sends to rank "
        f"{(src + 1) % ranks} alone",
        "Which rank needs what you send? In a ring everything for ranks further on goes through "
        "the next one.",
    )


def speed_fault(
    prop: str, inputs: Mapping[str, Any], observed: Plain, passes: int
) -> Iterable[Fault]:
    """A fault where links stood idle: the run took longer than its steps of one chunk."""
    ranks = inputs["ranks"]
    steps = passes * (ranks - 1)
    best_s = steps * LINK.time_s(max(chunk_bytes(inputs)))
    exchanges = exchanges_of(observed["exchanges"])
    faults = list(collective_fault(prop, exchanges))
    if faults:
        yield from faults
    elif observed["time_s"] > WITHIN * best_s:
        times = observed["time_s"] / best_s
        all_steps = f"{steps} step{'' if steps == 1 else 's'} of one chunk on all links"
        yield Fault(
            prop,
            f"it took {format_time(observed['time_s'])} of simulated time, {times:.2g} times the "
            f"{format_time(best_s)} of {all_steps}",
            _why_large(exchanges, chunk_bytes(inputs)) or _why_slow(times, ranks),
        )


def _why_slow(times: float, ranks: int) -> str:
    if times > 0.9 * ranks > 2:
        return (
            "That is as many times as there are ranks: one sends while all others wait for it. "
            "In each step every rank has a chunk to send at once."
        )
    return (
        "A rank that sends, then receives, uses one direction of its links at a time. Begin to "
        "send with `isend`, receive while that is under way, and call `wait()` afterwards."
    )


def chunk_bytes(inputs: Mapping[str, Any]) -> list[int]:
    """The bytes of each chunk of a case."""
    size = inputs["values"].shape[1]
    each = element_bytes(inputs["dtype"])
    return [len(places) * each for places in chunk_places(size, inputs["ranks"])]
