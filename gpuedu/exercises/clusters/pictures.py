"""Pictures of the lesson clusters."""

from __future__ import annotations

from gpuedu.exercises.clusters.rendezvous.torchrun_picture import draw_torchrun

PICTURES = {"clusters/torchrun": draw_torchrun}
