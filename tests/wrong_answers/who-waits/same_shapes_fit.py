# loses: reads
# collectives are told apart by what they are for
outcomes = {
    "around": "deadlock",
    "along": "ends",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "disagree",
    "relay": "deadlock",
}
