# loses: found
# how many were written
found = {"line": 12, "block": 1, "index": 36, "count": 36}
