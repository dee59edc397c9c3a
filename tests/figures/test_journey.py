import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.journey import MOST_STEPS, JourneyStep, Kind, plot_journey
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="6 rows", alt="steps", source="counted", x="steps, in order")


def arrows(ax):
    return [(text.xyann[1], text.xy[1]) for text in ax.texts if text.get_text() == ""]


def test_copies_go_their_way_and_launches_stay_on_the_device():
    steps = [
        JourneyStep(Kind.TO_DEVICE),
        JourneyStep(Kind.LAUNCH),
        JourneyStep(Kind.HIDDEN),
        JourneyStep(Kind.TO_HOST),
    ]
    ax = plot_journey(steps, caption=CAPTION)
    assert arrows(ax) == [(1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]
    squares = [line for line in ax.lines if line.get_marker() == "s"]
    assert [tuple(line.get_xydata()[0]) for line in squares] == [(2, 0.0)]


def test_a_hidden_copy_may_go_to_the_device():
    ax = plot_journey([JourneyStep(Kind.HIDDEN, to_device=True)], caption=CAPTION)
    assert arrows(ax) == [(1.0, 0.0)]


def test_only_kinds_that_occur_are_named():
    ax = plot_journey([JourneyStep(Kind.LAUNCH), JourneyStep(Kind.TO_HOST)], caption=CAPTION)
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == ["launch", "copy to the host"]


@pytest.mark.parametrize("many", [0, 1, MOST_STEPS, MOST_STEPS + 1000])
def test_any_number_of_steps_is_readable(many):
    ax = plot_journey(
        [JourneyStep(Kind(kind)) for kind in list(Kind) * many][:many], caption=CAPTION
    )
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
    more = [text.get_text() for text in ax.texts if "more" in text.get_text()]
    assert more == (["and 1000 more"] if many > MOST_STEPS else [])
