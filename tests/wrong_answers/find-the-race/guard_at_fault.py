# loses: found-jumps
# the guard is needed
found = {"jumps": ("A", "skipped"), "widen": ("C", "in-place"), "shares": ("E", "missing")}
