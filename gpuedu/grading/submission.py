"""What a learner handed in, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Submission:
    """What one learner handed in for one lesson.

    Attributes:
        answers: sources of the learner's answer cells by cell id; of the rest nothing is taken.
        repairs: what was mended or passed over, for learner and teacher.
        digest: SHA-256 of the bytes that were handed in, in hexadecimal.
    """

    answers: Mapping[str, str]
    repairs: tuple[str, ...]
    digest: str
