import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.lens.banks import bank_visits
from gpuedu.lens.requests import find_requests
from tests.trace import samples
from tests.trace.building import ITEMSIZE, Builder, wavefronts_of

ELEMENTS = st.lists(st.integers(-1, 200), min_size=32, max_size=32)


def request(element, dtype="float32"):
    made = Builder("def kernel():\n    s[t]")
    made.step(2)
    made.access(2, "s[t]", np.array([element]), space="shared", dtype=dtype, shape=(256,))
    return find_requests(made.build(), "s[t]")[0]


def test_neighbors_are_served_at_once():
    visits = bank_visits(request(range(32)))
    assert [(v.wavefront, v.bank, v.lanes) for v in visits] == [(0, b, (b,)) for b in range(32)]


def test_a_column_is_served_one_by_one_by_one_bank():
    visits = bank_visits(request(np.arange(32) * 32))
    assert [(v.wavefront, v.bank, v.lanes) for v in visits] == [(i, 0, (i,)) for i in range(32)]


def test_a_word_for_all_is_one_visit():
    (visit,) = bank_visits(request([5] * 32))
    assert visit.bank == 5 and visit.lanes == tuple(range(32))


def test_doubles_are_served_in_two_halves():
    visits = bank_visits(request(range(32), "float64"))
    assert len(visits) == 64
    assert {v.lanes[0] // 16 for v in visits if v.phase == 0} == {0}
    assert {v.lanes[0] // 16 for v in visits if v.phase == 1} == {1}
    assert {v.wavefront for v in visits} == {0, 1}


@given(ELEMENTS, st.sampled_from(sorted(ITEMSIZE)))
def test_visits_are_as_many_passes_as_are_counted_and_serve_every_lane_once(element, dtype):
    if max(element) < 0:
        return
    asked = request(element, dtype)
    visits = bank_visits(asked)
    lanes = [(lane, e) for lane, e in enumerate(element) if e >= 0]
    passes = 1 + max(v.wavefront for v in visits)
    assert passes == asked.wavefronts == wavefronts_of(lanes, ITEMSIZE[dtype])
    words = max(1, ITEMSIZE[dtype] // 4)
    assert sum(len(v.lanes) for v in visits) == words * len(lanes)
    assert len({(v.wavefront, v.bank) for v in visits}) == len(visits)
    assert all(v.word % 32 == v.bank for v in visits)


def test_the_padded_tile_visits_every_bank():
    for pitch, banks in ((32, 1), (33, 32)):
        asked = find_requests(samples.transpose(pitch), "tile[x, y]", warp=3)[0]
        assert len({v.bank for v in bank_visits(asked)}) == banks
