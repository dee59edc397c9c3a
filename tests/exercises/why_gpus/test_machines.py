import pytest

from gpuedu.exercises.why_gpus import machines


def test_rates_follow_from_what_their_names_say():
    assert pytest.approx(1.152e12) == machines.CPU_FLOP_PER_S
    assert pytest.approx(83.2e9) == machines.CPU_BYTES_PER_S
    assert pytest.approx(63.0e9, rel=1e-3) == machines.PCIE5_BYTES_PER_S


@pytest.mark.parametrize(("flop", "size", "limit"), [(300, 8, 1e10), (2, 12, 1e11 / 12)])
def test_the_scarcer_of_arithmetic_and_memory_sets_the_rate(flop, size, limit):
    assert machines.elements_per_s(3e12, 1e11, flop, size) == pytest.approx(limit)


def test_memories_grow_from_a_core_to_a_large_gpu():
    rates = [memory.bytes_per_s for memory in machines.memories()]
    assert rates == sorted(rates) and len(rates) == 5
