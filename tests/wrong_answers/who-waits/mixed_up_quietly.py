# loses: reads
# shapes do not matter
outcomes = {
    "around": "deadlock",
    "along": "ends",
    "report": "deadlock",
    "clip": "wrong numbers",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
