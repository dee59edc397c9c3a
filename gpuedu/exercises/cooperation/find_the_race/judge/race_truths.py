"""What is wrong with the three drafts of ``find-the-race``, and what is said to other answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Truth:
    """The fault of one draft: ``letter`` of its line and ``kind``.

    ``letters`` and ``kinds`` hold what is said to each other letter, and to each other kind.
    """

    letter: str
    kind: str
    letters: Mapping[str, str]
    kinds: Mapping[str, str]


TRUTHS: Mapping[str, Truth] = {
    "jumps": Truth(
        "C",
        "skipped",
        {
            "A": "The guard is needed: without it, threads would leave `x`. What is inside it "
            "that is meant for all?",
            "B": "Each thread writes an element of its own there.",
            "D": "What D reads was written before the barrier. Who comes to the barrier?",
            "E": "Each thread writes an element of its own there.",
        },
        {
            "missing": "C is itself a barrier, and one more after it would be skipped by the same "
            "threads.",
            "in-place": "A barrier writes nothing. Which threads come to it?",
            "not-atomic": "A barrier updates nothing. Which threads come to it?",
            "outside": "A barrier touches no array. Which threads come to it?",
        },
    ),
    "widen": Truth(
        "C",
        "in-place",
        {
            "A": "Each thread writes an element of its own there, and a barrier follows.",
            "B": "All threads come to that barrier.",
            "D": "All threads come to that barrier, and it separates one step from the next. What "
            "happens within a step?",
            "E": "Each thread reads the element that it wrote there itself.",
        },
        {
            "missing": "The next line is a barrier. One more there changes nothing: reading and "
            "writing happen in the same line.",
            "skipped": "The condition ends before the barrier: all threads come to it.",
            "not-atomic": "No two threads write the same element. But who reads it?",
            "outside": "The first and the last thread take no part, so t - 1 and t + 1 exist.",
        },
    ),
    "shares": Truth(
        "E",
        "missing",
        {
            "A": "That line comes too early for some threads. At which line may they still be? A "
            "barrier is missing right after that one.",
            "B": "All threads come to that barrier.",
            "C": "Many threads add to one place there, but with an atomic, and between two "
            "barriers.",
            "D": "All threads come to that barrier, and after it the sum is complete. How far may "
            "a fast thread run on from there, while a slow one still needs the sum?",
        },
        {
            "in-place": "E reads the sum, and writes into `out` only. Who overwrites the sum, and "
            "when?",
            "skipped": "The loop has the same number of iterations for all threads of a block.",
            "not-atomic": "All that add use an atomic; only thread 0 sets the sum to 0.",
            "outside": "A row has as many elements as a block has threads.",
        },
    ),
}
KIND_SAYS = {
    "skipped": "a barrier that some threads never reach",
    "missing": "a barrier is missing right after that line",
    "in-place": "that line reads what other threads overwrite in the same line",
    "not-atomic": "that update has to be atomic",
    "outside": "that line leaves the array",
}
