from gpuedu.figures.caption import Caption
from gpuedu.figures.outcome_grid import Outcome, plot_outcomes

CAPTION = Caption(title="a title", alt="outcomes", source="a source", x="columns", y="rows")


def test_each_outcome_has_its_sign_and_its_key():
    rows = [[Outcome.SAME, Outcome.REFUSED], [Outcome.OTHER, Outcome.SAME]]
    ax = plot_outcomes(rows, (1, 2), (10, 20), caption=CAPTION)
    assert [text.get_text() for text in ax.texts] == ["=", "×", "≠", "="]
    keys = [text.get_text() for text in ax.get_legend().get_texts()]
    assert keys == ["=  the same numbers", "≠  other numbers", "×  refused"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "2"]
    low, high = ax.get_ylim()
    assert low > high  # the first row is at the top


def test_what_does_not_happen_has_no_key():
    ax = plot_outcomes([[Outcome.REFUSED]], (1,), (1,), caption=CAPTION)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["×  refused"]
