# loses: reads
# ranks that wait for each other in a row
outcomes = {
    "around": "deadlock",
    "along": "deadlock",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
