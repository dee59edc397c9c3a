import numpy as np
import pytest
from matplotlib.patches import Rectangle

from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.gpipe.picture import draw_gpipe
from gpuedu.exercises.pipelines.interleaved.picture import draw_interleaved
from gpuedu.exercises.pipelines.one_f_one_b.picture import draw_one_f_one_b
from gpuedu.exercises.pipelines.pipeline_pictures import draw_no_micro_batches
from gpuedu.figures import style
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, texts_outside

ONE_F_ONE_B = solution_answers("one-f-one-b")["one_f_one_b"]
INTERLEAVED = solution_answers("interleaved")["interleaved"]


def wrong(name):
    return stored_answers("one-f-one-b", "wrong", name)["one_f_one_b"]


def is_legible(axes):
    """Digits have nothing below the line, where their boxes may overlap."""
    pairs = overlapping_texts(axes[0])
    return all("".join(pair).isdigit() for pair in pairs) and not texts_outside(axes[0])


@pytest.mark.parametrize("size", [(1, 1), (4, 8), (8, 3), (8, 16)])
def test_every_size_is_legible(size):
    assert is_legible(draw_one_f_one_b(ONE_F_ONE_B, *size))
    assert is_legible(draw_gpipe(solution_answers("gpipe")["gpipe"], *size))


def test_every_pass_has_its_number():
    times, kept = draw_one_f_one_b(ONE_F_ONE_B, 8, 16)
    numbers = [text.get_text() for text in times.texts]
    assert sorted(numbers) == sorted(str(m) for m in range(16) for _ in range(2 * 8))
    assert [text.get_text() for text in kept.texts] == [f"{n} of {n}" for n in range(8, 0, -1)]


def test_axes_do_not_hang_on_the_answer():
    drawn = [ONE_F_ONE_B, *map(wrong, ("all_forward", "no_warm_up", "later_stages_longer"))]
    pictures = [draw_one_f_one_b(one) for one in drawn]
    for axes in pictures:
        axes[0].figure.draw_without_rendering()
    for one in zip(*pictures, strict=True):
        assert len({(ax.get_xlim(), ax.get_ylim()) for ax in one}) == 1
        places = np.array([ax.get_position().bounds for ax in one])
        assert np.ptp(places, axis=0).max() < 1e-9


def test_more_than_may_be_kept_is_striped():
    _, kept = draw_one_f_one_b(wrong("one_more"))
    striped = [one for one in kept.patches if isinstance(one, Rectangle) and one.get_hatch()]
    assert [one.get_width() for one in striped] == [1] * 4
    _, kept = draw_one_f_one_b(ONE_F_ONE_B)
    assert not [one for one in kept.patches if one.get_hatch()]


def test_a_stuck_schedule_is_drawn_up_to_there():
    axes = draw_one_f_one_b(wrong("later_stages_longer"))
    texts = [text.get_text() for text in axes[0].texts]
    assert "backward 0 waits for stage 1: backward 0" in texts
    assert "no stage can go on" in axes[0].get_title(loc="left")
    assert "which waits for" in style.alt_text(axes)
    assert is_legible(axes)


def test_time_and_idle_share_are_told():
    assert "it takes 12, and 75% is idle" in draw_no_micro_batches()[0].get_title(loc="left")
    for chunks, said in ((1, "30%"), (2, "25%"), (4, "29%")):
        axes = draw_interleaved(INTERLEAVED, 4, 8, chunks, 0.25)
        assert f"{said} is idle" in axes[0].get_title(loc="left")
        assert not [one for one in axes[0].texts if "→" in one.get_text()]
        assert is_legible(axes)


def test_who_waits_is_told_with_the_chunk():
    axes = draw_interleaved(
        stored_answers("interleaved", "wrong", "chunks_the_same_way_back")["interleaved"]
    )
    texts = [text.get_text() for text in axes[0].texts]
    assert "backward 0 in chunk 0 waits for stage 0: backward 0 in chunk 1" in texts
    assert is_legible(axes)


def test_what_has_no_room_is_refused():
    with pytest.raises(AnswerError, match="9 stages cannot be drawn"):
        draw_one_f_one_b(ONE_F_ONE_B, 9, 4)


def test_groups_of_micro_batches_are_whole():
    with pytest.raises(AnswerError, match="6 micro-batches are no multiple of 4 stages"):
        draw_interleaved(INTERLEAVED, 4, 6)
