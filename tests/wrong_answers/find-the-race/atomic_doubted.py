# loses: found-shares
# the addition is atomic already
found = {"jumps": ("C", "skipped"), "widen": ("C", "in-place"), "shares": ("C", "not-atomic")}
