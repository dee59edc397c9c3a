"""Pictures of the lessons on training steps, made from what the learner wrote, right or wrong."""

from __future__ import annotations

from gpuedu.exercises.training_step.allocator_pictures import draw_fragments
from gpuedu.exercises.training_step.backward_by_hand.backward_pictures import draw_depth
from gpuedu.exercises.training_step.checkpointing.checkpointing_pictures import draw_checkpointed
from gpuedu.exercises.training_step.counting_pictures import counted_steps
from gpuedu.exercises.training_step.digits_pictures import draw_overfitting
from gpuedu.exercises.training_step.hidden_syncs.waiting_pictures import list_waits
from gpuedu.exercises.training_step.memory_pictures import (
    draw_step,
    saved_by_layer,
)
from gpuedu.exercises.training_step.read_the_profile.profile_pictures import (
    draw_slow_step,
    list_compiled,
    list_costs,
    list_shares,
)
from gpuedu.exercises.training_step.recorded import draw_large_steps, draw_recorded_steps
from gpuedu.exercises.training_step.sgd_or_adam.rules_pictures import draw_rates
from gpuedu.exercises.training_step.sgd_or_adam.valley_pictures import draw_valley

PICTURES = {
    "training-step/depth": draw_depth,
    "training-step/checkpointed": draw_checkpointed,
    "training-step/counted": counted_steps,
    "training-step/step": draw_step,
    "training-step/saved": saved_by_layer,
    "training-step/overfitting": draw_overfitting,
    "training-step/slow-step": draw_slow_step,
    "training-step/slow-costs": list_costs,
    "training-step/shares": list_shares,
    "training-step/compiled": list_compiled,
    "training-step/recorded": draw_recorded_steps,
    "training-step/large": draw_large_steps,
    "training-step/rates": draw_rates,
    "training-step/valley": draw_valley,
    "training-step/fragments": draw_fragments,
    "training-step/waits": list_waits,
}
