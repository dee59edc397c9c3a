"""Pictures of the lesson hugging-face."""

from gpuedu.exercises.hugging_face.accelerate_it import picture as accelerate_it
from gpuedu.exercises.hugging_face.hf_trainer import picture as hf_trainer
from gpuedu.exercises.hugging_face.stream_it import picture as stream_it

PICTURES = {
    "hugging-face/log": hf_trainer.draw_log,
    "hugging-face/schedules": hf_trainer.draw_schedules,
    "hugging-face/rates": accelerate_it.draw_rates,
    "hugging-face/stop": stream_it.draw_stop,
}
