"""Plays of the lesson training-step: each calls the learner's functions on one case."""

from gpuedu.exercises.training_step.backward_play import BACKWARD_PLAYS
from gpuedu.exercises.training_step.checkpointing_play import CHECKPOINTING_PLAYS
from gpuedu.exercises.training_step.counting_play import COUNTING_PLAYS
from gpuedu.exercises.training_step.digits_play import DIGITS_PLAYS
from gpuedu.exercises.training_step.ledger_play import LEDGER_PLAYS
from gpuedu.exercises.training_step.profile_play import PROFILE_PLAYS
from gpuedu.exercises.training_step.resume_play import RESUME_PLAYS
from gpuedu.exercises.training_step.rules_play import RULES_PLAYS
from gpuedu.exercises.training_step.waiting_play import WAITING_PLAYS

PLAYS = {
    **BACKWARD_PLAYS,
    **CHECKPOINTING_PLAYS,
    **COUNTING_PLAYS,
    **LEDGER_PLAYS,
    **PROFILE_PLAYS,
    **RESUME_PLAYS,
    **RULES_PLAYS,
    **WAITING_PLAYS,
    **DIGITS_PLAYS,
}
