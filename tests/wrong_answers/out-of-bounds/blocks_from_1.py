# loses: found
# blocks are counted from 0
found = {"line": 5, "block": 4, "thread": 231, "index": 1000}
