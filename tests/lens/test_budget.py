import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.lens import budget, lens
from tests.trace import samples


def test_sectors_by_array():
    report = lens(samples.strided(8))
    assert budget.sectors_ratio(report, "a") == 8
    assert budget.sectors_ratio(report, "out") == 1
    assert budget.sectors_ratio(report) == 72 / 16
    assert (budget.sectors(report), budget.sectors(report, "a")) == (72, 64)
    assert budget.sectors_per_request(report, "a") == 32


def test_reading_and_writing_once():
    report = lens(samples.strided(1))
    assert budget.reads_once(report, "a") == 1 and budget.writes_once(report, "out") == 1
    assert budget.loads_per_element(report, "a") == 64 / 4096
    assert budget.reads_once(report, "out") == 0
    shared = lens(samples.histogram(4))
    assert budget.writes_once(shared, "bins") == 2


def test_conflicts():
    assert budget.conflicts(lens(samples.transpose(32))) == 32 * 31
    assert budget.conflicts(lens(samples.transpose(32)), "tile") == 32 * 31
    assert budget.conflicts(lens(samples.transpose(33))) == 0
    assert budget.wavefronts_ratio(lens(samples.transpose(32))) == 1056 / 64


def test_lanes_and_branches():
    assert budget.active_lanes(lens(samples.branches())) == 24
    assert budget.divergence(lens(samples.branches())) == 1


def test_atomics_by_memory():
    report = lens(samples.histogram(4))
    assert budget.atomics(report) == budget.atomics(report, "global") == 64
    assert budget.atomics(report, "shared") == 0
    assert budget.same_address_lanes(report) == 8
    assert budget.same_address_lanes(report, "shared") == 1


def test_flop_bytes_barriers_hazards():
    report = lens(samples.block_sum(blocks=2))
    assert (budget.flop(report), budget.flop(report, "float64")) == (126, 0)
    assert budget.touched_bytes(report) == 512 + 32
    assert budget.barriers(report) == 6
    assert budget.hazards(report) == 0
    racing = lens(samples.racing())
    assert (budget.hazards(racing), budget.hazards(racing, "data-race")) == (2, 1)


@pytest.mark.parametrize("ask", [budget.sectors_ratio, budget.conflicts, budget.reads_once])
def test_an_array_that_was_never_accessed_is_no_free_pass(ask):
    with pytest.raises(UnknownNameError):
        ask(lens(samples.strided()), "input")


def test_shared_arrays_are_not_read_from_global_memory():
    with pytest.raises(UnknownNameError, match="global memory"):
        budget.reads_once(lens(samples.transpose()), "tile")


def test_all_are_plain_numbers():
    report = lens(samples.histogram())
    numbers = [
        budget.sectors_ratio(report),
        budget.conflicts(report),
        budget.reads_once(report, "a"),
        budget.divergence(report),
        budget.active_lanes(report),
        budget.atomics(report),
        budget.same_address_lanes(report),
        budget.flop(report),
        budget.barriers(report),
        budget.hazards(report),
    ]
    assert {type(number) for number in numbers} <= {int, float}
