"""Plays of the lesson ddp."""

from gpuedu.exercises.ddp.play_accumulating import ACCUMULATING_PLAYS
from gpuedu.exercises.ddp.play_averaging import AVERAGING_PLAYS
from gpuedu.exercises.ddp.play_exchange import EXCHANGE_PLAYS
from gpuedu.exercises.ddp.play_sampling import SAMPLING_PLAYS

PLAYS = {**SAMPLING_PLAYS, **AVERAGING_PLAYS, **ACCUMULATING_PLAYS, **EXCHANGE_PLAYS}
