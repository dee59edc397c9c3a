"""What the lint of the course's English finds, and what it leaves alone."""

from __future__ import annotations

import pytest

from gpuedu.course.language import LONGEST, faults

LONG = " ".join(["word"] * (LONGEST + 1))


@pytest.mark.parametrize(
    "text",
    [
        "Ten layers, one behind the other.",
        "It goes on row behind row.",
        "from the begin of the pass",
        "It takes as long as the backward.",
        "The forward is cheap.",
        "Who skips the call is one call ahead.",
        "It is lost without a word.",
        "10 per cent of it",
        "With four threads it were 2.",
        "A neighbour of the optimiser",
        f"{LONG}.",
        f"- short\n- {LONG}",
    ],
)
def test_it_is_found_once(text):
    assert 1 <= len(list(faults(text))) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "Ten layers, one after the other, and what is behind the door.",
        "the backward pass, `the backward.`, a forward hook, and backward compatibility",
        "Who skips the call?",
        "It works as if it were alone.",
        "Data parallelism is an emphasis of this [lesson](https://example.org/colour).",
        "`optimiser` and $behaviour$ are names.",
        f"{LONG[5:]}. {LONG[5:]}.",
        f"- {LONG[: 5 * 20]}\n- {LONG[: 5 * 20]}",
    ],
)
def test_it_is_left_alone(text):
    assert list(faults(text)) == []
