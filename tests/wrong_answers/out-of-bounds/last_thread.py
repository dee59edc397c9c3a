# loses: found
# the last thread of the block is stopped by the guard
found = {"line": 5, "block": 3, "thread": 255, "index": 1000}
