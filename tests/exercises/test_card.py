"""Cards: the HTML escapes everything, and the text says the same."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.card import Card, Line, report_card, to_text
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import stored_answers

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">`</code><b>`&amp;\'"'
ALLOWED = {
    "style", "div", "span", "ul", "li", "strong", "code", "br", "details", "summary", "pre",
    "table", "tr", "td", "th",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def parse(card):
    tags = Tags()
    tags.feed(card._repr_html_())
    return tags


def test_no_part_of_a_card_can_become_markup():
    card = Card(
        HOSTILE,
        "wrong",
        subtitle=HOSTILE,
        paragraphs=(HOSTILE,),
        lines=(Line(HOSTILE, HOSTILE, True, HOSTILE, HOSTILE, HOSTILE),),
        table=((HOSTILE, HOSTILE),),
        printed=HOSTILE,
        next=HOSTILE,
    )
    tags = parse(card)
    assert {tag for tag, _ in tags.found} <= ALLOWED
    assert not any(name.startswith("on") for _, attrs in tags.found for name in attrs)
    assert "<script>alert(1)</script>" in tags.text


@pytest.mark.parametrize("where", ["raised", "printed", "returned"])
def test_nothing_from_the_learners_code_reaches_the_html_unescaped(where):
    def copied_bytes(n, itemsize):
        if where == "raised":
            raise ValueError(HOSTILE)
        if where == "printed":
            print(HOSTILE)
        return HOSTILE

    card = report_card(examine(load("first-check"), [copied_bytes]))
    tags = parse(card)
    assert {tag for tag, _ in tags.found} <= ALLOWED
    assert "<script>" not in card._repr_html_()
    assert "alert(1)" in tags.text


def test_the_text_says_what_the_html_says():
    card = report_card(examine(load("first-check"), [lambda n, itemsize: 4 * n]))
    text = " ".join(to_text(card).split())
    for line in card.lines:
        assert " ".join(line.text.split()) in text
        assert " ".join(line.why.split()) in text
        assert " ".join(line.cause.split()) in text


def test_a_property_that_fails_says_no_in_words_and_bold():
    card = report_card(examine(load("first-check"), [lambda n, itemsize: 2 * n * 4]))
    yes, no = card.lines
    assert (yes.mark, no.mark) == ("✓", "✗")
    assert "yes" in yes.text
    assert "no" in no.text
    assert no.strong
    assert card.heading == "first-check: 1 of 2"


def test_a_mark_of_words_is_read_aloud_and_apart_from_its_text():
    card = Card("a", lines=(Line("✓", "yes"), Line("⚠ hazard:", "a race"), Line("note:", "slow")))
    tags = parse(card)
    marks = [attrs for _, attrs in tags.found if attrs.get("class") == "mark"]
    assert ["aria-hidden" in attrs for attrs in marks] == [True, False, False]
    assert "⚠ hazard: a race" in tags.text and "note: slow" in tags.text


def test_the_same_reason_is_told_once():
    def copied_bytes(n, itemsize):
        raise ValueError("always")

    card = report_card(examine(load("first-check"), [copied_bytes]))
    assert "ValueError: always" in card.lines[0].why
    assert card.lines[1].why == "for the same reason."


def test_why_several_are_not_judged_yet_is_told_once():
    answers = stored_answers("hybrid-shard", "wrong", "node_only")
    card = report_card(examine(load("hybrid-shard"), list(answers.values())))
    first, second = [line for line in card.lines if line.mark == "–"]
    assert "2 nodes of 2 ranks: the result is not right yet" in to_text(card)
    assert (second.why, second.case) == ("for the same reason.", "")
    assert "after step 1, on node 0" in first.why


def test_one_reason_for_everything_stands_once():
    @cuda.jit
    def copy_striped(src, dst):
        values = []  # noqa: F841
        dst[0] = src[0]

    card = report_card(examine(load("coalesced-copy"), [copy_striped]))
    first, *others = [line for line in card.lines if line.mark == "✗"]
    assert "cannot be compiled" in first.why and "lines below" in first.cause
    assert len(others) >= 2 and not any(line.why or line.cause for line in others)


def test_unsolved_and_refused_have_cards_of_their_own():
    unsolved = report_card(examine(load("first-check"), [...]))
    assert "Not solved yet" in to_text(unsolved)
    refused = report_card(examine(load("first-check"), [3]))
    assert "got 3 (int)" in to_text(refused)
    assert "✗" not in to_text(refused)
