"""Judge of the exercise buckets: which gradients travel together, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ddp.buckets.judge.bucket_cases import (
    ITEM_BYTES,
    buckets_of,
    buckets_of_firsts,
    cases,
    sizes_of,
)
from gpuedu.exercises.ddp.buckets.judge.bucket_means import mean_fault
from gpuedu.exercises.ranks.running import exchanges_of

Buckets = Sequence[Sequence[int]]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The faults of buckets, or of gradients and messages."""
    inputs = dict(case.inputs)
    if inputs["ask"] == "make":
        buckets = observed["buckets"][0]
        yield from _judge_once(inputs, buckets)
        yield from _judge_limits(inputs, buckets)
        yield from _judge_types(inputs, buckets)
        yield from _judge_order(inputs, buckets)
        yield from _judge_few(inputs, buckets)
    elif inputs["ask"] == "reduce":
        yield from mean_fault("mean", inputs, observed["gradients"])
        yield from _judge_messages(inputs, observed)
    else:
        yield from _judge_missing(inputs, observed)


def _name(inputs: Inputs, place: int) -> str:
    size, kind = sizes_of(dict(inputs))[place], inputs["types"][place]
    return f"`params[{place}]` ({kind}, {size:,} bytes)"


def _judge_once(inputs: Inputs, buckets: Buckets) -> Iterable[Fault]:
    found = Counter(place for bucket in buckets for place in bucket)
    sizes, last = sizes_of(dict(inputs)), (buckets_of(dict(inputs)) or [[]])[-1]
    for place, trains in reversed(list(enumerate(inputs["trains"]))):
        if found[place] == int(trains):
            continue
        name = _name(inputs, place)
        if not trains:
            told = f"{name} is frozen: `requires_grad` is False, and it is in a bucket"
            yield Fault("once", told, "It never gets a gradient. What should be sent for it?")
        elif found[place]:
            yield Fault("once", f"{name} is in the buckets {found[place]} times")
        else:
            why = ""
            if sizes[place] > inputs["max_bytes"]:
                why = (
                    f"It is larger than a bucket's limit of {inputs['max_bytes']:,} bytes. Its "
                    "gradient has to travel, too."
                )
            elif place in last:
                why = "When the loop ends, a bucket is still open. Is it in the list?"
            yield Fault("once", f"{name} trains, and is in no bucket", why)
        return


def _judge_limits(inputs: Inputs, buckets: Buckets) -> Iterable[Fault]:
    sizes = sizes_of(dict(inputs))
    limits = [inputs["max_bytes" if number else "first_bytes"] for number in range(len(buckets))]
    totals = [sum(sizes[place] for place in bucket) for bucket in buckets]
    over = [
        number
        for number, bucket in enumerate(buckets)
        if totals[number] > limits[number] and len(bucket) > 1
    ]
    for number in over[:1]:
        told = (
            f"bucket {number} holds {totals[number]:,} bytes in {len(buckets[number])} parameters"
        )
        elements = _elements(inputs)
        why = "When is the sum compared with the limit: before the next one goes in?"
        if buckets == buckets_of(dict(inputs), elements):
            why = "So many *elements* would be allowed. How many bytes has one?"
        elif over == [0]:
            why = (
                "The first bucket has a limit of its own, `first_bytes`. The first is the one "
                "whose gradients are ready first."
            )
        yield Fault("limits", f"{told}; its limit is {limits[number]:,}", why)


def _elements(inputs: Inputs) -> list[int]:
    sizes, types = sizes_of(dict(inputs)), inputs["types"]
    return [size // ITEM_BYTES[kind] for size, kind in zip(sizes, types, strict=True)]


def _judge_types(inputs: Inputs, buckets: Buckets) -> Iterable[Fault]:
    for number, bucket in enumerate(buckets):
        kinds = sorted({inputs["types"][place] for place in bucket})
        if len(kinds) > 1:
            yield Fault(
                "types",
                f"bucket {number} holds {' and '.join(kinds)}",
                "`torch.cat` makes one tensor of one type of them: the smaller ones are widened, "
                "and travel as more bytes than they have. How does each type get its own bucket?",
            )
            return


def _judge_order(inputs: Inputs, buckets: Buckets) -> Iterable[Fault]:
    for kind in sorted(set(inputs["types"])):
        found = [p for bucket in buckets for p in bucket if inputs["types"][p] == kind]
        for before, behind in pairwise(found):
            if before <= behind:
                backwards = found == sorted(found)
                why = (
                    "A backward starts at the end of the model. Whose gradients are ready first?"
                    if backwards
                    else "Buckets, and parameters in a bucket, go from the last to the first."
                )
                told = f"`params[{behind}]` comes behind `params[{before}]`"
                yield Fault("order", told if behind != before else f"{told} again", why)
                return
    firsts = [bucket[0] for bucket in buckets if bucket]
    for number, (before, behind) in enumerate(pairwise(firsts)):
        if before <= behind:
            yield Fault(
                "order",
                f"bucket {number} begins with `params[{before}]`, bucket {number + 1} with "
                f"`params[{behind}]`",
                "Buckets stand in the list in the order in which they are begun.",
            )
            return


def _judge_few(inputs: Inputs, buckets: Buckets) -> Iterable[Fault]:
    expected, sizes = buckets_of(dict(inputs)), sizes_of(dict(inputs))
    if any(not bucket for bucket in buckets):
        empty = next(number for number, bucket in enumerate(buckets) if not bucket)
        why = "When is a new bucket begun?"
        if empty == 0:
            why = (
                "Does your list begin as `[[]]`? A parameter that begins a bucket needs no empty "
                "one before it, and where nothing trains, there is none at all."
            )
        yield Fault("few", f"bucket {empty} is empty", why)
    elif len(buckets) > len(expected):
        number = _first_that_differs(buckets, expected)
        mine = buckets[number]
        limit = inputs["max_bytes" if number else "first_bytes"]
        room = limit - sum(sizes[place] for place in mine)
        behind = expected[number] if number < len(expected) else []
        more = [place for place in behind if place not in mine]
        why = "When is a new bucket begun?"
        if more and sizes[more[0]] == room:
            why = "It would fill the bucket to the last byte, which is allowed."
        elif buckets == buckets_of_firsts(dict(inputs)):
            why = "`first_bytes` is for the very first bucket, not for the first of each type."
        elif buckets == buckets_of(dict(inputs), [4 * many for many in _elements(inputs)]):
            why = "You count 4 bytes an element. How many has an element of *this* parameter?"
        elif more and len(set(inputs["types"])) > 1:
            why = "One of another type lies between. Is the bucket still open for its own type?"
        has_room = f": bucket {number} ends with room for {_name(inputs, more[0])}" if more else ""
        told = f"{len(buckets)} buckets where {len(expected)} are enough{has_room}"
        yield Fault("few", told, why)


def _first_that_differs(buckets: Buckets, expected: Buckets) -> int:
    """The first bucket that holds something else; buckets that are too many count, too."""
    for number, (mine, wanted) in enumerate(zip(buckets, expected, strict=False)):
        if sorted(mine) != sorted(wanted):
            return number
    return len(expected)


def _judge_messages(inputs: Inputs, observed: Plain) -> Iterable[Fault]:
    mine = [one for one in exchanges_of(observed["exchanges"]) if one.rank == 0]
    kinds = Counter(one.kind for one in mine)
    buckets, sizes = inputs["buckets"], sizes_of(dict(inputs))
    wanted = [sum(sizes[place] for place in bucket) for bucket in buckets]
    got = [one.size_bytes for one in mine]
    if kinds != {"all_reduce": len(buckets)}:
        told = ", ".join(f"{many} {kind}" for kind, many in kinds.items()) or "nothing at all"
        yield Fault(
            "few",
            f"`reduce_buckets` got {len(buckets)} buckets, and each rank called {told}",
            "One all-reduce for each bucket: of one tensor in which its gradients stand one "
            "behind the other.",
        )
    elif sorted(got) != sorted(wanted):
        yield Fault(
            "few",
            f"the buckets have {wanted} bytes, and the all-reduces had {got}",
            "What travels are the gradients, in their own type, and nothing else.",
        )


def _judge_missing(inputs: Inputs, observed: Plain) -> Iterable[Fault]:
    first = observed["buckets"][0]
    for rank, buckets in enumerate(observed["buckets"]):
        if buckets != first:
            yield Fault(
                "missing",
                f"rank 0 makes other buckets than rank {rank}: {first} and {buckets}",
                "Which parameters have a gradient differs from rank to rank; which of them "
                "*train* does not.",
            )
            return
    yield from mean_fault("missing", inputs, observed["gradients"])


JUDGE = Judge(
    title="Few large messages",
    properties=(
        Property("once", "every parameter that trains is in one bucket, a large one too", 1),
        Property("limits", "no bucket is above its limit; the first has its own", 1),
        Property("types", "a bucket has one type", 1),
        Property("order", "from the last parameter to the first", 1),
        Property("few", "few messages: buckets are full, and one all-reduce each", 1),
        Property("mean", "every gradient becomes the mean over the ranks, in its place", 1),
        Property("missing", "a rank without a gradient takes part with zeros", 1),
    ),
    hints=(
        "Two decisions, one after the other. For a parameter: which bucket is the newest of its "
        "type, and does the parameter still fit in? For a bucket: how do many tensors become one, "
        "and how does one become many again?",
        "Keep three things: the list of buckets, the bytes in each of them, and a dict from a type "
        "to the place of its newest bucket. Place 0 has the limit `first_bytes`. A parameter that "
        "does not fit begins a new bucket, whatever its size. For the exchange: `torch.cat` of all "
        "`p.grad.reshape(-1)`, one `dist.all_reduce`, a division, `flat.split([...])`.",
        "`for p in reversed(params)`: skip it unless `p.requires_grad`; `size = p.numel() * "
        "p.element_size()`; `at = newest.get(p.dtype)`; `limit = first_bytes if at == 0 else "
        "max_bytes`; if `at is None or used[at] + size > limit`, then `at = newest[p.dtype] = "
        "len(buckets)` and append `[]` and 0. In `reduce_buckets`, first give `torch.zeros_like(p)`"
        " to every p without gradient; last, `p.grad.copy_(part.view_as(p))` for each p and part.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "buckets": Prediction(
            "how many times as long as one message do 161 take?",
            truth=18.1,
            because="161 messages: 161 x 14 x 3.4 us = 7.66 ms of latency, and 0.40 ms for the "
            "bytes. One message: 0.05 ms and the same 0.40 ms.",
        )
    },
)
