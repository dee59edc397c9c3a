# loses: found-jumps
# a barrier that is skipped is not a barrier that is missing
found = {"jumps": ("C", "missing"), "widen": ("C", "in-place"), "shares": ("E", "missing")}
