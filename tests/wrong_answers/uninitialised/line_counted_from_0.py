# loses: found
# lines are counted from 1
found = {"line": 11, "block": 1, "index": 36, "count": 28}
