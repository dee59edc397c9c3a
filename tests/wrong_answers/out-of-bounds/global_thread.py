# loses: found
# the index in the grid, not in the block
found = {"line": 5, "block": 3, "thread": 999, "index": 1000}
