# loses: found-widen
# one more barrier after the line changes nothing
found = {"jumps": ("C", "skipped"), "widen": ("C", "missing"), "shares": ("E", "missing")}
