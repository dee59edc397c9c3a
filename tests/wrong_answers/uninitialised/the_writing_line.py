# loses: found
# the line that writes
found = {"line": 7, "block": 1, "index": 36, "count": 28}
