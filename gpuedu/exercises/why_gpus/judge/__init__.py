"""Judges of the lesson why-gpus, one module an exercise."""

from gpuedu.exercises.why_gpus.judge import (
    amdahl,
    break_even,
    check_the_claim,
    count_the_work,
    littles_law,
    parallel_cpu,
    who_is_independent,
)

JUDGES = {
    "parallel-cpu": parallel_cpu.JUDGE,
    "amdahl": amdahl.JUDGE,
    "who-is-independent": who_is_independent.JUDGE,
    "count-the-work": count_the_work.JUDGE,
    "littles-law": littles_law.JUDGE,
    "break-even": break_even.JUDGE,
    "check-the-claim": check_the_claim.JUDGE,
}
