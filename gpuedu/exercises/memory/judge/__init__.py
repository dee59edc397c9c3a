"""Judges of the lesson memory, one module an exercise."""

from gpuedu.exercises.memory.judge import (
    aos_to_soa,
    coalesced_copy,
    stencil,
    transpose,
    uninitialised,
)

JUDGES = {
    "coalesced-copy": coalesced_copy.JUDGE,
    "aos-to-soa": aos_to_soa.JUDGE,
    "transpose": transpose.JUDGE,
    "stencil": stencil.JUDGE,
    "uninitialised": uninitialised.JUDGE,
}
