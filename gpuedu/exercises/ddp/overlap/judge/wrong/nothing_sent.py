# loses: mean
# asks: Nothing was sent. Are the hooks registered, and what does `finish` send?
def attach(buckets):
    return lambda: None
