# loses: found-shares
# the barrier is missing before the reset, which is after the last line
found = {"jumps": ("C", "skipped"), "widen": ("C", "in-place"), "shares": ("A", "missing")}
