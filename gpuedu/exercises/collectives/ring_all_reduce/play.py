"""ring-all-reduce: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.collectives.play_exchanging import LIMIT_S, X, play_in_place
from gpuedu.exercises.contract import Answer, Play

PLAY = Play(
    (Answer("ring_all_reduce", signature=X),),
    play_in_place,
    LIMIT_S,
    observes="messages between simulated ranks",
)
