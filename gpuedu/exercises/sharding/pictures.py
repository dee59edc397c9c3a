"""Pictures of the lessons on sharding."""

from gpuedu.exercises.sharding.motive_pictures import draw_copies, draw_floor

PICTURES = {"sharding/copies": draw_copies, "sharding/floor": draw_floor}
