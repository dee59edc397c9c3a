"""Plays of the lesson collectives."""

from gpuedu.exercises.collectives.play_costs import COST_PLAYS
from gpuedu.exercises.collectives.play_exchanging import EXCHANGING_PLAYS
from gpuedu.exercises.collectives.play_waiting import WAITING_PLAYS

PLAYS = {**EXCHANGING_PLAYS, **COST_PLAYS, **WAITING_PLAYS}
