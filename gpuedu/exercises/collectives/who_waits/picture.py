"""who-waits: its picture."""

from __future__ import annotations

from gpuedu.exercises.collectives.who_waits import wait_pictures

PICTURE = wait_pictures.draw_halos
