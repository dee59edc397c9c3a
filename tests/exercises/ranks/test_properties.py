"""Properties of functions on many ranks: what each tells, and when nothing is decided."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import DeadlockError
from gpuedu.exercises.contract import Case, Fault, Undecided
from gpuedu.exercises.ranks.in_place import call_in_place, in_place_play
from gpuedu.exercises.ranks.properties import (
    Held,
    links_of,
    of_messages,
    right_on_ranks,
    sent_by_rank,
    soon_done,
    undecided_if_wrong,
)
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.network import Cluster, Link

LINK = Link("1 us, whatever the size", 1e-6, 1e18)
PLAY = in_place_play("shift(x, by)", lambda inputs: Cluster(inputs["ranks"], LINK))
INPUTS = {"ranks": 3, "values": np.arange(6.0).reshape(3, 2), "by": 1}
CASE = Case("3 ranks", INPUTS)


def shift(x, by):
    rank, ranks = dist.get_rank(), dist.get_world_size()
    got = torch.empty_like(x)
    sending = dist.isend(x.clone(), (rank + by) % ranks)
    dist.recv(got, (rank - by) % ranks)
    sending.wait()
    x.copy_(got)


def values(inputs, observed):
    wanted = np.roll(inputs["values"], inputs["by"], axis=0)
    for rank in range(inputs["ranks"]):
        yield Held(f"on rank {rank}", "x", observed["got"][rank], wanted[rank])


RIGHT = right_on_ranks("right", "", 1, values, asks="Whose is it?")
SOON = soon_done("soon", "", 1, lambda _: (1e-6, "one message"), within=1.1, asks="Who waits?")


def test_values_messages_and_time_of_a_right_answer():
    found = PLAY.run([shift], INPUTS)
    assert not [*RIGHT.test(CASE, found), *SOON.test(CASE, found)]
    assert links_of(found) == {(0, 1): 16, (1, 2): 16, (2, 0): 16}
    assert sent_by_rank(found, 3) == [16, 16, 16]
    assert found["dtypes"] == ["float64"] * 3


def test_the_first_rank_that_is_off_is_told():
    found = PLAY.run([shift], {**INPUTS, "by": 2})
    (fault,) = RIGHT.test(CASE, found)
    assert fault.message.startswith("on rank 0, `x[0]` is 2, expected 4 (2 of 2 elements")


def test_a_long_run_is_told_in_times_of_the_shortest():
    (fault,) = SOON.test(CASE, {"time_s": 3e-6})
    assert fault.message.endswith("3 times the 1 µs of one message")


def always(case, observed):
    yield Fault("cost", "too much")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x, by: None, "no rank sent anything"),
        (lambda x, by: dist.all_reduce(x), "rank 0 called `dist.all_reduce`"),
    ],
)
def test_messages_of_who_sends_none_are_not_judged(answer, told):
    found = PLAY.run([answer], INPUTS)
    (fault,) = of_messages("cost", always)(CASE, found)
    assert isinstance(fault, Undecided) and fault.message.startswith(told)
    (fault,) = undecided_if_wrong("cost", values, always)(CASE, found)
    assert isinstance(fault, Undecided)


def test_a_collective_is_told_by_one_property():
    found = PLAY.run([lambda x, by: dist.all_reduce(x)], INPUTS)
    (fault,) = of_messages("cost", always, tells_calls=True)(CASE, found)
    assert not isinstance(fault, Undecided) and "building here" in fault.cause


def test_a_rank_that_has_returned_is_named_first():
    def forgets_rank_0(x):
        if dist.get_rank() > 0:
            dist.recv(x, (dist.get_rank() + 1) % 4)

    with pytest.raises(DeadlockError) as stuck:
        call_in_place(forgets_rank_0, [(torch.ones(2),) for _ in range(4)])
    assert stuck.value.message.startswith("no rank can go on: rank 3 waits for a recv")
    assert stuck.value.message.endswith("rank 0 has returned")
    assert stuck.value.remedy.startswith("Every rank that waits is in a receive")


@pytest.mark.parametrize("to_all", [True, False])
def test_of_a_send_to_a_rank_that_has_returned_is_asked_whether_it_should_be(to_all):
    def sends(x):
        if to_all or dist.get_rank():
            dist.send(x, (dist.get_rank() + 1) % 2)

    with pytest.raises(DeadlockError) as stuck:
        call_in_place(sends, [(torch.ones(2),) for _ in range(2)])
    assert ("sent at all?" in stuck.value.remedy) is not to_all


def test_a_deadlock_in_a_collective_names_the_rank_that_has_returned():
    def only_some(x):
        if dist.get_rank():
            dist.all_reduce(x)

    with pytest.raises(DeadlockError, match="rank 0 has returned"):
        call_in_place(only_some, [(torch.ones(2),) for _ in range(3)])


def test_a_send_that_nobody_waited_for_meets_the_callers_next_use():
    def hasty(x):
        if dist.get_rank():
            dist.recv(x, 0)
        else:
            dist.isend(x, 1)

    with pytest.raises(CommunicationError, match="it was changed before it was sent"):
        call_in_place(hasty, [(torch.ones(2),), (torch.ones(2),)], late=1)
