"""Plays of the lesson mixed-precision, one table of all its parts."""

from __future__ import annotations

from gpuedu.exercises.mixed_precision.play_numbers import NUMBER_PLAYS
from gpuedu.exercises.mixed_precision.play_scaling import SCALING_PLAYS
from gpuedu.exercises.mixed_precision.play_tensor import TENSOR_PLAYS

PLAYS = {**NUMBER_PLAYS, **SCALING_PLAYS, **TENSOR_PLAYS}
