"""What a learner handed in, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Submission:
    """What one learner handed in for one lesson.

    Attributes:
        answers: sources of the learner's answer cells by cell id; nothing else is taken.
        repairs: what was repaired or skipped, for learner and teacher.
        digest: SHA-256 of the bytes that were handed in, in hexadecimal.
    """

    answers: Mapping[str, str]
    repairs: tuple[str, ...]
    digest: str
