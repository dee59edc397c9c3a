"""What the lesson ddp measures on the learner's machine."""

from gpuedu.exercises.ddp.real_steps import OVERLAP_MEASURES

MEASURES = {**OVERLAP_MEASURES}
