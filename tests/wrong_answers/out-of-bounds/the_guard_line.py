# loses: found
# the line that compares touches no array
found = {"line": 4, "block": 3, "thread": 231, "index": 1000}
