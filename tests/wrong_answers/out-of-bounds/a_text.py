# loses: found
# a text is no number
found = {"line": "5", "block": 3, "thread": 231, "index": 1000}
