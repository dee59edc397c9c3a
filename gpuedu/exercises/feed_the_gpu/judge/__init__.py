"""Judges of the lesson feed-the-gpu, one module an exercise."""

from gpuedu.exercises.feed_the_gpu.judge import (
    augment_on_device,
    prefetch,
    stall_fraction,
    streams,
    three_utilisations,
    transfer_size,
    workers,
)

JUDGES = {
    "three-utilisations": three_utilisations.JUDGE,
    "stall-fraction": stall_fraction.JUDGE,
    "prefetch": prefetch.JUDGE,
    "transfer-size": transfer_size.JUDGE,
    "augment-on-device": augment_on_device.JUDGE,
    "streams": streams.JUDGE,
    "workers": workers.JUDGE,
}
