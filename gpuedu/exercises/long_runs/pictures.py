"""Pictures of the lesson long-runs."""

from gpuedu.exercises.long_runs.checkpoint_interval import picture as checkpoint_interval

PICTURES = {"long-runs/day": checkpoint_interval.draw_day}
