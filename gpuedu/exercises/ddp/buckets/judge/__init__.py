"""buckets: which gradients travel together, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.ddp.buckets.judge.bucket_cases import buckets_of, cases, sizes_of
from gpuedu.exercises.ddp.buckets.planted import planted_gradients
from gpuedu.exercises.ranks.properties import (
    Held,
    first_off,
    first_other_call,
    right_on_ranks,
)
from gpuedu.exercises.ranks.running import exchanges_of

Buckets = Sequence[Sequence[int]]

_TOGETHER = ("limits", "types")
"""What parameters may be together."""
_EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7}


def _of_buckets(name: str, find: Callable[[Inputs, Buckets], Iterable[str]]) -> Test:
    """A test of what was made, undecided where few parameters are in a bucket, or never two."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        (buckets,) = observed["buckets"]
        for told in find(case.inputs, buckets):
            yield Fault(name, told)
        yield from _few_placed(name, case.inputs, buckets)
        if name in _TOGETHER and len(set(case.inputs["types"])) == 1:
            yield from _never_two(name, case.inputs, buckets)

    return test


def _never_two(name: str, inputs: Inputs, buckets: Buckets) -> Iterable[Undecided]:
    if max(map(len, buckets), default=0) < 2 <= max(map(len, buckets_of(inputs)), default=0):
        yield Undecided(name, "no bucket holds two parameters, and some have room for two")


def _few_placed(name: str, inputs: Inputs, buckets: Buckets) -> Iterable[Undecided]:
    trains = inputs["trains"]
    placed = len({place for bucket in buckets for place in bucket if trains[place]})
    if placed < _enough(inputs):
        told = f"{placed} of {sum(trains)} parameters that train {'is' if placed == 1 else 'are'}"
        yield Undecided(name, f"{told if placed else 'no parameter is'} in a bucket")


def _enough(inputs: Inputs) -> int:
    """Half of what trains; or all but the last bucket of each type: a loop may leave these open."""
    expected, types = buckets_of(inputs), inputs["types"]
    last = {types[bucket[0]]: len(bucket) for bucket in expected}
    half = (sum(inputs["trains"]) + 1) // 2
    return min(half, sum(map(len, expected)) - sum(last.values()))


def _name(inputs: Inputs, place: int) -> str:
    size, kind = sizes_of(inputs)[place], inputs["types"][place]
    return f"`params[{place}]` ({kind}, {size:,} bytes)"


def _test_once(case: Case, observed: Plain) -> Iterable[Fault]:
    inputs, (buckets,) = case.inputs, observed["buckets"]
    found = Counter(place for bucket in buckets for place in bucket)
    for place, trains in reversed(list(enumerate(inputs["trains"]))):
        name, times = _name(inputs, place), found[place]
        if times and not trains:
            told = f"{name} is frozen: `requires_grad` is False, and it is in a bucket"
        elif times == int(trains):
            continue
        else:
            told = f"is in the buckets {times} times" if times else "trains, and is in no bucket"
            told = f"{name} {told}"
        yield Fault("once", told)


def _above_limits(inputs: Inputs, buckets: Buckets) -> Iterable[str]:
    sizes = sizes_of(inputs)
    for number, bucket in enumerate(buckets):
        limit = inputs["max_bytes" if number else "first_bytes"]
        total = sum(sizes[place] for place in bucket)
        if total > limit and len(bucket) > 1:
            told = f"bucket {number} holds {total:,} bytes in {len(bucket)} parameters"
            yield f"{told}; its limit is {limit:,}"


def _of_two_types(inputs: Inputs, buckets: Buckets) -> Iterable[str]:
    for number, bucket in enumerate(buckets):
        kinds = sorted({inputs["types"][place] for place in bucket})
        if len(kinds) > 1:
            yield f"bucket {number} holds {' and '.join(kinds)}"


def _out_of_order(inputs: Inputs, buckets: Buckets) -> Iterable[str]:
    for kind in sorted(set(inputs["types"])):
        found = [p for bucket in buckets for p in bucket if inputs["types"][p] == kind]
        for before, after in pairwise(found):
            if before <= after:
                again = " again" if before == after else ""
                yield f"`params[{after}]` comes after `params[{before}]`{again}"
    firsts = [bucket[0] for bucket in buckets if bucket]
    for number, (before, after) in enumerate(pairwise(firsts)):
        if before <= after:
            starts = f"bucket {number} starts with `params[{before}]`"
            yield f"{starts}, bucket {number + 1} with `params[{after}]`"


def _too_many(inputs: Inputs, buckets: Buckets) -> Iterable[str]:
    for number, bucket in enumerate(buckets):
        if not bucket:
            yield f"bucket {number} is empty"
    expected = buckets_of(inputs)
    if len(buckets) > len(expected):
        yield f"{len(buckets)} buckets where {len(expected)} are enough{_room(inputs, buckets)}"


def _room(inputs: Inputs, buckets: Buckets) -> str:
    """The first parameter that would have had room in a bucket, and is not in it; or ""."""
    sizes = sizes_of(inputs)
    for number, (mine, wanted) in enumerate(zip(buckets, buckets_of(inputs), strict=False)):
        more = [place for place in wanted if place not in mine]
        room = inputs["max_bytes" if number else "first_bytes"] - sum(sizes[p] for p in mine)
        if more and sizes[more[0]] <= room:
            return f": bucket {number} ends with room for {_name(inputs, more[0])}"
        if sorted(mine) != sorted(wanted):
            return ""
    return ""


def _test_few(case: Case, observed: Plain) -> Iterable[Fault]:
    if case.inputs["ask"] == "make":
        yield from _of_buckets("few", _too_many)(case, observed)
        return
    mine = [one for one in exchanges_of(observed["exchanges"]) if one.rank == 0]
    buckets, sizes = case.inputs["buckets"], sizes_of(case.inputs)
    wanted = [sum(sizes[place] for place in bucket) for bucket in buckets]
    told = first_other_call(mine, "all_reduce", wanted, in_order=False)
    if told:
        yield Fault("few", f"`reduce_buckets` got {len(buckets)} buckets, and {told}")


def _means(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    """Every gradient on every rank, and the mean of all ranks'; a missing one counts as zeros.

    Gradients are whole numbers, whose sums are exact in every type; the division by the number of
    ranks is rounded once, or each part of the sum once: at most eps times the sum of magnitudes.
    """
    ranks = inputs["ranks"]
    own = [planted_gradients(inputs["shapes"], rank, inputs["seed"]) for rank in range(ranks)]
    for rank, missing in enumerate(inputs["missing"]):
        for place in missing:
            own[rank][place][...] = 0
    for rank, got in enumerate(observed["gradients"]):
        for place, name in enumerate(inputs["types"]):
            parts = np.stack([one[place] for one in own])
            room = 2 * _EPS[name] * np.abs(parts).mean(axis=0)
            name = f"params[{place}].grad"
            yield Held(f"on rank {rank}", name, got[place], parts.mean(axis=0), room)


def _unless_changed(prop: Property, told: str) -> Property:
    """The same property, which the lists that the learner's function got have to survive."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(prop.test(case, observed) if prop.test else ())
        yield from faults
        if not faults and not observed["kept"]:
            yield Fault(prop.name, told)

    return replace(prop, test=test)


def _test_missing(case: Case, observed: Plain) -> Iterable[Fault]:
    first = observed["buckets"][0]
    for rank, buckets in enumerate(observed["buckets"]):
        if buckets != first:
            told = f"rank 0 makes other buckets than rank {rank}: {first} and {buckets}"
            yield Fault("missing", told)
    yield from first_off("missing", _means(case.inputs, observed))


JUDGE = Judge(
    title="Few large messages",
    properties=(
        Property(
            "once",
            "every trainable parameter is in exactly one bucket, even a large one",
            1,
            "Does that parameter ever get a gradient? And what does your loop do with it?",
            _test_once,
        ),
        Property(
            "limits",
            "no bucket exceeds its limit; the first has its own",
            1,
            "Before a parameter goes into that bucket, what do you compare with what?",
            _of_buckets("limits", _above_limits),
        ),
        Property(
            "types",
            "all parameters of a bucket have the same type",
            1,
            "`torch.cat` of several types gives a tensor of one type: the smaller ones are "
            "widened, and travel as more bytes than they have. Which buckets may a parameter join?",
            _of_buckets("types", _of_two_types),
        ),
        _unless_changed(
            Property(
                "order",
                "from the last parameter to the first; `params` is left alone",
                1,
                "In which order does a backward pass complete the gradients, and in which order "
                "are the parameters in your list, and in each bucket?",
                _of_buckets("order", _out_of_order),
            ),
            "after `make_buckets(params, ...)`, the list `params` is not what it was before",
        ),
        Property(
            "few",
            "few messages: buckets are filled, with one all-reduce for each",
            1,
            "When does a new bucket start, and what is sent for each bucket?",
            _test_few,
        ),
        _unless_changed(
            right_on_ranks(
                "mean",
                "every gradient becomes the mean over the ranks; the lists are left alone",
                1,
                _means,
                asks="Follow that gradient into the bucket's tensor, through the all-reduce, and "
                "back. What is it after each step?",
            ),
            "after `reduce_buckets(buckets)`, the lists are not what they were before",
        ),
        Property(
            "missing",
            "a rank without a gradient takes part with zeros",
            1,
            "What does a rank with that gradient send for it, and what does a rank without it? "
            "What does each of them do with the result?",
            _test_missing,
        ),
    ),
    hints=(
        "There are two decisions. For a parameter: which bucket is the newest of its "
        "type, and does the parameter still fit in? For a bucket: how do many tensors become one, "
        "and how does one become many again?",
        "Keep three things: the list of buckets, the bytes in each of them, and a dict from a type "
        "to the place of its newest bucket. Place 0 has the limit `first_bytes`. A parameter that "
        "does not fit starts a new bucket, whatever its size. For the exchange: `torch.cat` of all "
        "`p.grad.reshape(-1)`, one `dist.all_reduce`, a division, `flat.split([...])`.",
        "`for p in reversed(params)`: skip it unless `p.requires_grad`; `size = p.numel() * "
        "p.element_size()`; `at = newest.get(p.dtype)`; `limit = first_bytes if at == 0 else "
        "max_bytes`; if `at is None or used[at] + size > limit`, then `at = newest[p.dtype] = "
        "len(buckets)` and append `[]` and 0. In `reduce_buckets`, first give "
        "`torch.zeros_like(p)` to every p without a gradient; last, "
        "`p.grad.copy_(part.view_as(p))` for each p and part.",
    ),
    cases=cases,
    varies=("exchanges",),
    predictions={
        "buckets": Prediction(
            "how many times as long as one message do 161 take?",
            truth=18.1,
            because="161 messages: 161 x 14 x 3.4 µs = 7.66 ms of latency, and 0.40 ms for the "
            "bytes. One message: 0.05 ms and the same 0.40 ms.",
        )
    },
)
