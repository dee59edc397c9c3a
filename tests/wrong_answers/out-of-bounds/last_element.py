# loses: found
# the last element is there
found = {"line": 5, "block": 3, "thread": 231, "index": 999}
