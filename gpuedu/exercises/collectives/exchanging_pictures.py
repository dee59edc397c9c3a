"""Drawings of on light ranks, with their messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.ranks.in_place import InPlace, call_in_place
from gpuedu.figures.caption import Caption
from gpuedu.figures.exchanges import plot_exchanges, plot_links
from gpuedu.multi import network
from gpuedu.multi.exchanges import link_bytes
from gpuedu.units import MS, US, format_size, format_time

NVLINK = network.link("nvlink4")
ELEMENTS = 2**20
"""4 MiB of float32, on each rank."""
_MADE_OF = "Simulated on NVLink 4: 3.4 µs a message, 450 GB/s each way"
Answer = Callable[..., Any]


def tensors_for(ranks: int, elements: int = ELEMENTS) -> list[torch.Tensor]:
    """Each rank's own number, in every element."""
    return [torch.full((elements,), float(rank)) for rank in range(ranks)]


def on_nvlink(answer: Answer, tensors: Sequence[torch.Tensor], *arguments: Any) -> InPlace:
    """The run of a learner's collective that a picture shows."""
    cluster = network.Cluster(len(tensors), NVLINK)
    return call_in_place(answer, [(x, *arguments) for x in tensors], cluster=cluster)


def add_at_rank_0(x: torch.Tensor) -> None:
    """The sum of all tensors on rank 0: each sends its own."""
    if dist.get_rank() > 0:
        dist.send(x, 0)
        return
    for other in range(1, dist.get_world_size()):
        got = torch.empty_like(x)
        dist.recv(got, other)
        x += got


def sum_through_rank_0(x: torch.Tensor) -> None:
    """The sum of all tensors on all ranks: rank 0 adds, and sends it to one after the other."""
    add_at_rank_0(x)
    if dist.get_rank() > 0:
        dist.recv(x, 0)
        return
    for other in range(1, dist.get_world_size()):
        dist.send(x, other)


def name_of(answer: Answer) -> str:
    """The function's name for a title."""
    name = getattr(answer, "__name__", "")
    return name[:40] if type(name) is str and name else "Your function"


def draw_run(answer: Answer, ranks: int = 4) -> Any:
    """Any function without arguments, on light ranks."""
    run = run_ranks(lambda rank: answer() and None, ranks, [answer])
    return _draw(f"{name_of(answer)} on {ranks} ranks", run, ranks)


def tell_stuck(answer: Answer) -> str:
    """What comes of a function on two ranks: its results, or who waits for whom."""
    results: dict[int, Any] = {}

    def body(rank: int) -> None:
        results[rank] = answer()

    try:
        run = run_ranks(body, 2, [answer])
    except DeadlockError as fault:
        waits = "\n".join(f"  {one.name} waits for {one.what}" for one in fault.waiting)
        return f"No rank can go on:\n{waits}"
    told = "\n".join(f"  rank {rank}: {str(results[rank])[:60]}" for rank in sorted(results))
    return f"Done after {format_time(run.time_s)} of simulated time:\n{told}"


def draw_broadcast(answer: Answer) -> Any:
    """A broadcast from rank 0 of 8."""
    run = on_nvlink(answer, tensors_for(8), 0).run
    return _draw(f"{name_of(answer)} from rank 0 to 8 ranks", run, 8)


def draw_collective(answer: Answer) -> Any:
    """A learner's collective on 4 ranks."""
    run = on_nvlink(answer, tensors_for(4)).run
    return _draw(f"{name_of(answer)} on 4 ranks", run, 4)


def draw_bytes(answer: Answer) -> Any:
    """The bytes that a learner's collective sent from each of 4 ranks to each."""
    exchanges = on_nvlink(answer, tensors_for(4)).run.exchanges
    links = {f"{src} to {dst}": size for (src, dst), size in link_bytes(exchanges).items()}
    told = ", ".join(f"{way} {format_size(size)}" for way, size in links.items()) or "nothing"
    caption = Caption(
        title=f"{name_of(answer)}: who sent how much to whom",
        x="to rank",
        y="from rank",
        source=f"Counted on 4 light ranks with 4 MiB each; in total "
        f"{format_size(sum(links.values()))}.",
        alt=f"Bytes sent from each rank (row) to each rank (column). {told}.",
    )
    return plot_links(exchanges, ranks=4, caption=caption)


def tell_whose(answer: Answer, ranks: int = 4) -> str:
    """Whose numbers each rank's chunks hold at the end, as a table.

    Rank r begins with 10^r everywhere, so the digits of a sum tell who is in it, and how often.
    """
    tensors = [torch.full((2 * ranks,), 10.0**rank, dtype=torch.float64) for rank in range(ranks)]
    found = on_nvlink(answer, tensors)
    lines = ["ranks whose numbers are in each chunk; [ ]: a chunk that has to be complete"]
    lines.append(" " * 8 + "".join(f"chunk {chunk}".ljust(11) for chunk in range(ranks)))
    for rank, (tensor,) in enumerate(found.tensors):
        if tensor.shape != (2 * ranks,):
            raise AnswerError(f"`x` of rank {rank} has shape {tuple(tensor.shape)} now")
        cells = [whose(float(piece[0]), ranks) for piece in tensor.tensor_split(ranks)]
        cells[rank] = f"[{cells[rank]}]"
        lines.append(f"rank {rank}  " + "".join(cell.ljust(11) for cell in cells))
    return "\n".join(line.rstrip() for line in lines)


def whose(value: float, ranks: int) -> str:
    """The ranks whose 10^rank are in a sum, each as often as it is.

    >>> whose(1011.0, 4), whose(20.0, 4), whose(float("nan"), 4), whose(0.5, 4)
    ('0 1 3', '1 1', 'nothing', '?')
    """
    if np.isnan(value):
        return "nothing"
    if value != int(value) or not 0 <= value < 10**ranks:
        return "?"
    digits = str(int(value))[::-1]
    there = [str(rank) for rank, digit in enumerate(digits) for _ in range(int(digit))]
    return " ".join(there) or "zeros"


def _draw(title: str, run: Ranked, ranks: int) -> Any:
    sends = [one for one in run.exchanges if one.kind == "send"]
    took, sent = format_time(run.time_s), format_size(sum(one.size_bytes for one in sends))
    unit_s, unit = (MS, "ms") if run.time_s >= MS else (US, "µs")
    told = "; ".join(
        f"rank {one.rank} to {one.peer} from {one.start_s / unit_s:.3g} to "
        f"{one.end_s / unit_s:.3g} {unit}"
        for one in sends[:12]
    )
    more = "; and so on" if len(sends) > 12 else ""
    caption = Caption(
        title=f"{title}: {took}",
        x="simulated time",
        source=f"{_MADE_OF}; {len(sends)} messages, {sent} in all.",
        alt=f"A row for each of {ranks} ranks, with its sends and receives over {took}. "
        f"{told or 'Nothing was sent'}{more}.",
    )
    return plot_exchanges(run.exchanges, caption=caption, ranks=ranks)
