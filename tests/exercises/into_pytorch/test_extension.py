"""read-an-extension: the listing that is read, and the dicts that are taken."""

from __future__ import annotations

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.read_an_extension.extension_picture import (
    EXTENSION,
    tell_extension,
)
from gpuedu.exercises.into_pytorch.read_an_extension.play import PLAY


def test_the_listing_has_every_line_with_its_number() -> None:
    told, source = tell_extension().splitlines(), EXTENSION.splitlines()
    assert len(told) == len(source)
    for number, (line, own) in enumerate(zip(told, source, strict=True), 1):
        assert line.split(maxsplit=1)[0] == str(number)
        assert line.endswith(own)


def test_only_what_is_asked_for_is_taken() -> None:
    answers = ({"a": 3.0, "b": 4}, {"c": "right"}, {})
    assert PLAY.run(answers, {"ask": "lines", "names": ["a"]}) == {"a": 3}
    assert PLAY.run(answers, {"ask": "calls", "names": ["c"]}) == {"c": "right"}
    with pytest.raises(AnswerError, match="no entry for 'd'"):
        PLAY.run(answers, {"ask": "repairs", "names": ["d"]})
    with pytest.raises(AnswerError, match="short text"):
        PLAY.run(({}, {"c": 1}, {}), {"ask": "calls", "names": ["c"]})
    with pytest.raises(AnswerError, match="no answer for 'c' yet"):
        PLAY.run(({}, {"c": ...}, {}), {"ask": "calls", "names": ["c"]})
