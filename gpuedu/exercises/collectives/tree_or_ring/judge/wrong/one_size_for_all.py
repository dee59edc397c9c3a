# loses: choice
# asks: Does the size from which the ring is faster grow with the ranks? And with the link's
#   rate?
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring" if size_bytes >= 1_000_000 else "tree"
