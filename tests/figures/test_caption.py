from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption


def test_every_text_has_its_place():
    ax = style.new_axes()
    caption = Caption(title="t", alt="what is seen", source="where from", x="n", y="time (s)")
    assert write_caption(ax, caption) is ax
    assert ax.get_title(loc="left") == "t"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "time (s)")
    assert ax.figure.get_supxlabel() == "where from"
    assert style.alt_text(ax) == "what is seen"
