"""Texts of learners, as a Markdown parser and then a browser read them."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown import markdown2html

from gpuedu.grading.literal import literal


class Reader(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@given(
    st.text(alphabet=st.one_of(st.sampled_from("<>&#;$\\[]()!`*_~\n\r\t -=:/ajx"), st.characters()))
)
def test_a_text_is_shown_as_it_was_written_and_is_no_markup(text):
    read = Reader(markdown2html(literal(text)))
    assert read.tags == ["pre"]
    wanted = text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    assert "".join(read.text.split()) == "".join(as_shown(wanted).split())


def as_shown(text):
    """What of a text a browser shows: control characters have no character reference."""
    return Reader("".join(f"&#{ord(c)};" for c in text.encode("utf-8", "replace").decode())).text
