# loses: reads
# a send returns at once
outcomes = {
    "around": "ends",
    "along": "ends",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
