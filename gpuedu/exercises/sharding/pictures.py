"""Pictures of the lesson sharding."""

from gpuedu.exercises.sharding.motive_pictures import draw_copies

PICTURES = {"sharding/copies": draw_copies}
