"""The play of an exercise that asks for one function on tensors of many ranks, changed in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import read_call
from gpuedu.exercises.ranks.running import Ranked, run_ranks
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.network import Cluster

LATE_S = 1e-3
"""How much later than the others a late rank starts: long after they could have been done."""
LIMIT_S = 40.0
"""For all cases together; they take about one second. Ranks are threads that take turns over a
thousand times, and on a busy machine each turn may have to wait."""
_CHANGED = ", and changed it before it was sent"


@dataclass(frozen=True)
class InPlace:
    """What each rank's tensors held when the learner's function returned there.

    ``tensors`` has copies by rank, in the order of the arguments.
    """

    tensors: tuple[tuple[Any, ...], ...]
    run: Ranked


def in_place_play(
    call: str, cluster: Callable[[Inputs], Cluster], *, time_limit_s: float = LIMIT_S
) -> Play:
    """A play that calls the learner's function on each rank's own tensor.

    A case's inputs have ``values``, a row for each rank, which become its tensor: of ``shape`` and
    ``dtype``, if they are given. The other arguments stand there by name, the same for all ranks.
    ``late`` names a rank that starts later than the others. What it observes:

    - ``got``: the rows afterwards, in float64 of shape (ranks, elements); ``dtypes`` by rank;
    - ``sends`` and ``calls``, see ``Ranked.traffic``; ``time_s`` too, unless a case is not
      ``timed``: one and the same mistake may take longer or shorter;
    - ``got_of_vectors`` where a case has ``as_vectors``: the rows after a second run, in which
      they are plain vectors of float64; None where that failed.

    Args:
        call: How the exercise writes the function, "broadcast_tree(x, root)"; the tensor is first.
        cluster: Where the ranks of a case are.
        time_limit_s: For all cases together.
    """
    name, (tensor, *others) = read_call(call)

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        (answer,) = answers
        after, ran = called(answer, inputs)
        seen = {
            "got": rows_of(after, inputs),
            "dtypes": [str(x.dtype).removeprefix("torch.") for x in after],
            **ran.traffic(is_timed=inputs.get("timed", True)),
        }
        if inputs.get("as_vectors"):
            size = inputs["values"].shape[1:]
            plain = {**inputs, "shape": size, "dtype": "float64"}
            try:
                seen["got_of_vectors"] = rows_of(called(answer, plain)[0], plain)
            except AnswerError:
                seen["got_of_vectors"] = None
        return seen

    def called(answer: Callable[..., Any], inputs: Inputs) -> tuple[list[Any], Ranked]:
        found = call_in_place(
            answer,
            [(row, *(inputs[one] for one in others)) for row in tensors_of(inputs)],
            cluster=cluster(inputs),
            late=inputs.get("late"),
        )
        return [one for (one,) in found.tensors], found.run

    def rows_of(after: Sequence[Any], inputs: Inputs) -> np.ndarray:
        shape = tuple(inputs.get("shape", inputs["values"].shape[1:]))
        arrays = [as_array(x, shape, f"`{tensor}` of rank {i}") for i, x in enumerate(after)]
        return np.stack([one.reshape(-1).astype(np.float64) for one in arrays])

    answer = Answer(name, signature=(tensor, *others))
    return Play((answer,), run, time_limit_s)


def tensors_of(inputs: Inputs) -> list[Any]:
    """Each rank's tensor: a row of ``values``, in the case's shape and dtype."""
    import torch

    dtype = getattr(torch, inputs.get("dtype", "float64"))
    shape = tuple(inputs.get("shape", inputs["values"].shape[1:]))
    return [torch.tensor(row).to(dtype).reshape(shape) for row in inputs["values"]]


def call_in_place(
    answer: Callable[..., Any],
    arguments: Sequence[Sequence[Any]],
    *,
    cluster: Cluster | None = None,
    late: int | None = None,
) -> InPlace:
    """Call the learner's function on as many light ranks as there are rows of arguments.

    When it returns on a rank, its tensors there are copied for the account, and then overwritten,
    as a caller might do: what is still on its way then is found out.

    Args:
        answer: The learner's function.
        arguments: By rank; tensors are each rank's own.
        cluster: Where the ranks are; by default GPUs of one node, joined by NVLink 4.
        late: The rank that starts ``LATE_S`` later.

    Raises:
        AnswerError: A rank failed, or the ranks do not fit together.
    """
    import torch

    from gpuedu.multi.light import work_for

    def body(rank: int) -> tuple[Any, ...]:
        if rank == late:
            work_for(LATE_S, "late")
        answer(*arguments[rank])
        tensors = [one.detach() for one in arguments[rank] if isinstance(one, torch.Tensor)]
        kept = tuple(one.clone() for one in tensors)
        for one in tensors:
            one.fill_(float("nan") if one.is_floating_point() else -(2**31))
        return kept

    try:
        run = run_ranks(body, len(arguments), [answer], cluster=cluster)
    except CommunicationError as fault:
        raise _told_of_caller(fault) from None
    return InPlace(run.results, run)


def _told_of_caller(fault: CommunicationError) -> CommunicationError:
    """The fault; who changed a tensor that was on its way may be the function's caller, too."""
    if _CHANGED not in fault.message:
        return fault
    return CommunicationError(
        fault.message.replace(_CHANGED, ", and it was changed before it was sent"),
        remedy="Until a send is done (with `isend`, until `wait()` on its handle has returned), "
        "nobody may write to its tensor: not your function (a receive into it that was started "
        "before writes, too), and not its caller, who may use it when your function has returned.",
    )
