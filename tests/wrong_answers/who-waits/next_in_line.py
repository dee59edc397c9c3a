# loses: cycle
# each waits for the next rank
waits_for = {0: 1, 1: 2, 2: 3, 3: 0}
