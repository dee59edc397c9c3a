"""The virtual clock: whose turn it is, what time it is, and who never goes on."""

from __future__ import annotations

import pytest

from gpuedu.clock import VirtualClock
from gpuedu.clock.standins.locks import Event
from gpuedu.errors import ClockError, DeadlockError


def test_time_jumps_to_what_is_due_next():
    clock, seen = VirtualClock(), []

    def ring(delay_s):
        yield clock.after(delay_s)
        seen.append((delay_s, clock.now()))

    for delay_s in (0.3, 0.1, 0.2):
        clock.start(ring(delay_s), f"alarm {delay_s}")
    assert clock.run() == 0.3
    assert seen == [(0.1, 0.1), (0.2, 0.2), (0.3, 0.3)]


def test_before_what_is_due_next_nothing_happens():
    clock = VirtualClock()
    assert clock.next_due_s() == float("inf")
    clock.after(0.3)
    clock.after(0.1)
    assert clock.next_due_s() == 0.1


def test_sums_of_times_are_exact():
    clock = VirtualClock()

    def tick():
        for _ in range(1000):
            yield clock.after(0.1)

    clock.start(tick(), "ticker")
    assert clock.run() == 100.0


def test_a_moment_happens_once_and_hands_its_value_on():
    clock, got = VirtualClock(), []
    moment = clock.moment("the word")

    def listen():
        got.append((yield moment))

    clock.start(listen(), "listener")
    clock.alarm(moment, 1.0, value="first")
    clock.alarm(moment, 2.0, value="second")
    assert clock.run() == 1.0
    assert got == ["first"]
    assert moment.happen("third") is False


def test_a_process_that_ends_has_a_result():
    clock, results = VirtualClock(), []

    def work():
        yield clock.after(2.0)
        return 42

    def boss():
        results.append((yield clock.start(work(), "worker").ended))

    clock.start(boss(), "boss")
    assert (clock.run(), results) == (2.0, [42])


def test_ties_go_in_order_or_by_seed():
    def order(seed):
        clock, seen = VirtualClock(seed=seed), []

        def go(number):
            yield clock.after(1.0)
            seen.append(number)

        for number in range(8):
            clock.start(go(number), f"process {number}")
        clock.run()
        return seen

    assert order(None) == list(range(8))
    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(5)}) == 5


def test_a_deadlock_names_everybody_with_what_they_wait_for():
    clock = VirtualClock()

    def wait_for(what):
        yield clock.after(0.5)
        yield clock.moment(what)

    clock.start(wait_for("the fork"), "Plato")
    clock.start(wait_for("the knife"), "Kant")
    with pytest.raises(
        DeadlockError, match="Plato waits for the fork; Kant waits for the knife"
    ) as e:
        clock.run()
    assert [(one.name, one.since_s) for one in e.value.waiting] == [("Plato", 0.5), ("Kant", 0.5)]


def test_a_server_may_wait_for_ever():
    clock = VirtualClock()

    def serve():
        yield clock.moment("an order")

    clock.start(serve(), "server", is_server=True)
    assert clock.run() == 0.0
    assert clock.waiting() == ()


@pytest.mark.parametrize("delay_s", [-1.0, float("inf"), float("nan")])
def test_a_delay_must_make_sense(delay_s):
    with pytest.raises(ClockError, match="finite and not negative"):
        VirtualClock().after(delay_s)


def test_a_generator_yields_moments_only():
    clock = VirtualClock()
    clock.start((number for number in [3]), "odd one")
    with pytest.raises(ClockError, match="odd one yielded 3, which is not a moment"):
        clock.run()


def test_what_a_generator_raises_reaches_who_runs_it():
    clock = VirtualClock()

    def fail():
        yield clock.after(1.0)
        raise KeyError("broken")

    clock.start(fail(), "failing")
    with pytest.raises(KeyError, match="broken"):
        clock.run()


def test_only_a_thread_of_the_clock_waits_on_it():
    clock = VirtualClock()
    with pytest.raises(ClockError, match="is not on the simulated clock"):
        clock.sleep(1.0)
    with clock, pytest.raises(ClockError, match="is not on the simulated clock"):
        VirtualClock().sleep(1.0)


def test_a_thread_is_on_one_clock_at_a_time_and_a_clock_is_entered_once():
    clock = VirtualClock()
    with clock, pytest.raises(ClockError, match="on a simulated clock already"), VirtualClock():
        pass
    with pytest.raises(ClockError, match="entered once"), clock:
        pass


def test_work_and_waits_are_on_the_timeline():
    with VirtualClock() as clock:
        moment = clock.after(2.0, "the mail")
        clock.work(0.5, "kernel", lane="compute", label="step")
        clock.wait(moment)
        clock.sleep(1.0)
    assert [(i.lane, i.kind, i.start_s, i.end_s, i.label) for i in clock.timeline.intervals] == [
        ("compute", "kernel", 0.0, 0.5, "step"),
        ("main", "wait", 0.5, 2.0, "the mail"),
        ("main", "sleep", 2.0, 3.0, "its sleep to end"),
    ]


def test_looking_again_and_again_lets_time_go_on():
    with VirtualClock() as clock:
        moment = clock.after(0.01)
        looks = 0
        while not moment.happened:
            clock.glance()
            looks += 1
    assert clock.now() == 0.01
    assert looks == 1100


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_a_lull_comes_behind_all_else_of_its_instant(seed):
    clock, seen = VirtualClock(seed=seed), []

    def wait_for_the_lull():
        yield clock.lull()
        seen.append(("lull", clock.now()))

    def chain(steps):
        for _ in range(steps):
            yield clock.after(0.0)
        seen.append((steps, clock.now()))
        yield clock.after(1.0)
        seen.append(("later", clock.now()))

    clock.start(wait_for_the_lull(), "lull")
    for steps in (1, 3):
        clock.start(chain(steps), f"chain {steps}")
    clock.run()
    assert sorted(seen[:2]) == [(1, 0.0), (3, 0.0)]
    assert seen[2:] == [("lull", 0.0), ("later", 1.0), ("later", 1.0)]


class _HandingOver(VirtualClock):
    """A clock on which every wait goes by what is due."""

    def pass_alone(self, time_s, what, kind="wait"):
        return False


def run_with_naps(kind, seed):
    with kind(seed=seed) as clock:
        event, seen = Event(), []

        def nap():
            while not event.is_set():
                clock.sleep(0.003)
                seen.append(clock.now())

        for name in ("one", "two"):
            clock.start_thread(nap, name)
        while clock.now() < 0.02:
            clock.sleep(0.0)
            event.wait(0.002)
        event.set()
        left = clock.settle()
    return seen, left, clock.timeline, clock.now()


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_who_is_alone_lets_time_pass_as_if_it_had_waited(seed):
    assert run_with_naps(VirtualClock, seed) == run_with_naps(_HandingOver, seed)


def test_who_never_ends_does_not_outlast_the_end_of_a_run():
    with VirtualClock() as clock:

        def nap():
            while True:
                clock.sleep(0.5)

        clock.start_thread(nap, "napping")
        (left,) = clock.settle(limit_s=2.0)
        assert (left.name, left.what, clock.now()) == ("napping", "its sleep to end", 2.0)
