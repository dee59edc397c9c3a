"""Judges of the lesson cooperation, one module an exercise."""

from gpuedu.exercises.cooperation.judge import (
    block_sum,
    find_the_race,
    histogram,
    row_softmax,
    scan,
    warp_sum,
)

JUDGES = {
    "block-sum": block_sum.JUDGE,
    "warp-sum": warp_sum.JUDGE,
    "histogram": histogram.JUDGE,
    "scan": scan.JUDGE,
    "row-softmax": row_softmax.JUDGE,
    "find-the-race": find_the_race.JUDGE,
}
