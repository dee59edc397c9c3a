# loses: found-widen
# the barrier between steps is right
found = {"jumps": ("C", "skipped"), "widen": ("D", "skipped"), "shares": ("E", "missing")}
