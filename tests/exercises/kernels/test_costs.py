"""From counted traffic to faults that name the access and what it asks for."""

from __future__ import annotations

from gpuedu.exercises.kernels.costs import conflict_faults, sector_faults
from gpuedu.exercises.kernels.traffic import Access, Traffic

FAR = Access(
    5, "a[8 * i]", "load", "a", requests=2, lanes=64, sectors=64, ideal_sectors=8, excess_sectors=56
)
NEAR = Access(6, "a[i]", "load", "a", requests=2, lanes=64, sectors=8, ideal_sectors=8)
LONELY = Access(7, "a[0]", "load", "a", requests=8, lanes=8, sectors=8, ideal_sectors=8)
COLUMN = Access(8, "t[i, 0]", "load", "t", requests=3, lanes=96, wavefronts=96, ideal_wavefronts=3)
ROW = Access(9, "t[0, i]", "store", "t", requests=3, lanes=96, wavefronts=3, ideal_wavefronts=3)


def test_the_access_that_wastes_most_is_told_with_its_bytes():
    (fault,) = sector_faults("whole", Traffic((NEAR, FAR)), "load", "a")
    assert fault.property == "whole"
    assert fault.message == (
        "each time a warp runs the load `a[8 * i]` on line 5, it asks for 32 sectors (1024 bytes) "
        "for 128 bytes: 12.5% of them are used"
    )


def test_a_lane_alone_wastes_its_sector():
    (fault,) = sector_faults("whole", Traffic((LONELY,)), "load", "a")
    assert "asks for 1 sector (32 bytes) for 4 bytes" in fault.message


def test_whole_sectors_are_no_fault_and_other_operations_do_not_count():
    assert not list(sector_faults("whole", Traffic((NEAR,)), "load", "a"))
    (fault,) = sector_faults("whole", Traffic((NEAR,)), "store", "a")
    assert "`a` was never written" in fault.message


def test_the_bound_is_the_exercise_s_own():
    both = Traffic((NEAR, LONELY))  # 72 of 128 elements of the sectors
    assert not list(sector_faults("half", both, "load", "a", least=0.5))
    assert list(sector_faults("whole", both, "load", "a", least=0.6))


def test_asking_again_in_whole_sectors_makes_up_for_nothing():
    again = [NEAR] * 100
    assert not list(sector_faults("whole", Traffic((*again, FAR)), "load", "a"))
    (fault,) = sector_faults("whole", Traffic((*again, FAR)), "load", "a", most_bytes=512)
    assert "`a[8 * i]`" in fault.message
    assert not list(sector_faults("whole", Traffic(tuple(again)), "load", "a", most_bytes=512))


def test_the_worst_conflict_is_told_in_passes():
    (fault,) = conflict_faults("banks", Traffic((ROW, COLUMN)))
    assert fault.message == (
        "each time a warp runs the load `t[i, 0]` on line 8, it takes 32 passes through the banks, "
        "where 1 would do"
    )


def test_no_conflict_is_no_fault():
    assert not list(conflict_faults("banks", Traffic((ROW,))))
    assert not list(conflict_faults("banks", Traffic()))
