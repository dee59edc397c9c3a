"""Judges of the lesson training-step, one module an exercise."""

from gpuedu.exercises.training_step.judge import (
    backward_by_hand,
    checkpointing,
    count_the_step,
    hidden_syncs,
    memory_ledger,
    read_the_profile,
    save_and_resume,
    sgd_or_adam,
    train_digits,
)

JUDGES = {
    "backward-by-hand": backward_by_hand.JUDGE,
    "count-the-step": count_the_step.JUDGE,
    "memory-ledger": memory_ledger.JUDGE,
    "checkpointing": checkpointing.JUDGE,
    "hidden-syncs": hidden_syncs.JUDGE,
    "save-and-resume": save_and_resume.JUDGE,
    "sgd-or-adam": sgd_or_adam.JUDGE,
    "train-digits": train_digits.JUDGE,
    "read-the-profile": read_the_profile.JUDGE,
}
