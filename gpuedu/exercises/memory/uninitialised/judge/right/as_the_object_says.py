# A block is (x, y, z) there, and an index has a number for each axis.
found = {"line": 12, "block": (1, 0, 0), "index": (36,), "count": 28}
