# loses: cycle
# the first send of rank 2 goes through
waits_for = {0: 1, 1: 3, 2: 3, 3: 2}
