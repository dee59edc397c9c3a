"""Plays of the lesson ddp-in-practice."""

from gpuedu.exercises.ddp_in_practice.play_ddp import DDP_PLAYS
from gpuedu.exercises.ddp_in_practice.play_scaling import SCALING_PLAYS
from gpuedu.exercises.ddp_in_practice.play_statistics import STATISTICS_PLAYS
from gpuedu.exercises.ddp_in_practice.play_survival import SURVIVAL_PLAYS

PLAYS = {**DDP_PLAYS, **STATISTICS_PLAYS, **SCALING_PLAYS, **SURVIVAL_PLAYS}
