# loses: reads
# who has nobody to meet goes on alone
outcomes = {
    "around": "deadlock",
    "along": "ends",
    "report": "ends",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
