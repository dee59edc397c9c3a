# loses: found
# the index in x
found = {"line": 12, "block": 1, "index": 100, "count": 28}
