"""Judges of the lesson registers, one module an exercise."""

from gpuedu.exercises.registers.judge import (
    double_buffer,
    occupancy,
    read_the_ladder,
    register_tile,
    vector_loads,
)

JUDGES = {
    "occupancy": occupancy.JUDGE,
    "register-tile": register_tile.JUDGE,
    "vector-loads": vector_loads.JUDGE,
    "read-the-ladder": read_the_ladder.JUDGE,
    "double-buffer": double_buffer.JUDGE,
}
