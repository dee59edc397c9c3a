"""double-buffer: its picture."""

from __future__ import annotations

from gpuedu.exercises.registers.double_buffer import tables

PICTURE = tables.steps_of_a_warp
