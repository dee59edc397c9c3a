"""Pictures of the lesson ddp."""

from gpuedu.exercises.ddp import bucket_size_pictures, real_pictures
from gpuedu.exercises.ddp.motive_pictures import draw_four_ranks
from gpuedu.exercises.ddp.naive_ddp.averaging_pictures import draw_apart, draw_one_step

PICTURES = {
    "ddp/four-ranks": draw_four_ranks,
    "ddp/apart": draw_apart,
    "ddp/one-step": draw_one_step,
    "ddp/bucket-size": bucket_size_pictures.draw_bucket_size,
    "ddp/real-trace": real_pictures.draw_real_trace,
}
