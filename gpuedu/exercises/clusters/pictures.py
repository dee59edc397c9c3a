"""Pictures of the topic clusters."""

from __future__ import annotations

from gpuedu.exercises.clusters.opening_pictures import draw_queue, draw_weight
from gpuedu.exercises.clusters.rendezvous.torchrun_picture import draw_torchrun

PICTURES = {
    "clusters/weight": draw_weight,
    "clusters/queue": draw_queue,
    "clusters/torchrun": draw_torchrun,
}
