"""What the lessons on many GPUs share: a learner's function on light ranks, as plain values."""

from gpuedu.exercises.ranks.running import Ranked, run_ranks

__all__ = ["Ranked", "run_ranks"]
