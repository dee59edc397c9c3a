"""Pictures of the lessons on data parallelism."""

from gpuedu.exercises.ddp import bucket_size_pictures, real_pictures
from gpuedu.exercises.ddp.motive_pictures import draw_four_ranks, draw_sent_late
from gpuedu.exercises.ddp.naive_ddp.averaging_pictures import draw_apart, draw_one_step

PICTURES = {
    "ddp/four-ranks": draw_four_ranks,
    "ddp/sent-late": draw_sent_late,
    "ddp/apart": draw_apart,
    "ddp/one-step": draw_one_step,
    "ddp/bucket-size": bucket_size_pictures.draw_bucket_size,
    "ddp/real-trace": real_pictures.draw_real_trace,
}
