"""Pictures of the first half: what a busy GPU is, who waits, prefetching, workers."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu import (
    loading_pictures,
    prefetch_pictures,
    stall_pictures,
    utilisation_pictures,
    worker_pictures,
)

LOADING_PICTURES = {
    "feed-the-gpu/idle": loading_pictures.draw_idle,
    "three-utilisations": utilisation_pictures.draw_three_utilisations,
    "feed-the-gpu/own-utilisation": utilisation_pictures.tell_own_utilisation,
    "feed-the-gpu/queue": stall_pictures.draw_queue,
    "stall-fraction": stall_pictures.draw_stall_fraction,
    "prefetch": prefetch_pictures.draw_prefetch,
    "feed-the-gpu/prefetch-for-real": prefetch_pictures.draw_prefetch_for_real,
    "workers": worker_pictures.draw_workers,
    "feed-the-gpu/flips": worker_pictures.draw_worker_flips,
    "feed-the-gpu/recorded-loading": worker_pictures.draw_recorded_loading,
}
