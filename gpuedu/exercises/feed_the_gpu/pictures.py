"""Pictures of the lesson feed-the-gpu."""

from gpuedu.exercises.feed_the_gpu import loading_pictures
from gpuedu.exercises.feed_the_gpu.augment_on_device import picture as augment_pictures
from gpuedu.exercises.feed_the_gpu.prefetch import picture as prefetch_pictures
from gpuedu.exercises.feed_the_gpu.stall_fraction import picture as stall_pictures
from gpuedu.exercises.feed_the_gpu.three_utilisations import picture as utilization_pictures
from gpuedu.exercises.feed_the_gpu.transfer_size import picture as copy_pictures
from gpuedu.exercises.feed_the_gpu.workers import picture as worker_pictures

PICTURES = {
    "feed-the-gpu/idle": loading_pictures.draw_idle,
    "feed-the-gpu/own-utilization": utilization_pictures.tell_own_utilization,
    "feed-the-gpu/queue": stall_pictures.draw_queue,
    "feed-the-gpu/prefetch-for-real": prefetch_pictures.draw_prefetch_for_real,
    "feed-the-gpu/flips": worker_pictures.draw_worker_flips,
    "feed-the-gpu/recorded-loading": worker_pictures.draw_recorded_loading,
    "feed-the-gpu/pinned": copy_pictures.draw_pinned,
    "feed-the-gpu/recorded-copies": copy_pictures.draw_recorded_copies,
    "feed-the-gpu/kernels": augment_pictures.draw_kernels,
}
