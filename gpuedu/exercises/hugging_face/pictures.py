"""Pictures of the lesson hugging-face."""

from gpuedu.exercises.hugging_face.hf_trainer import picture as hf_trainer

PICTURES = {
    "hugging-face/log": hf_trainer.draw_log,
    "hugging-face/schedules": hf_trainer.draw_schedules,
}
