# loses: choice
# a ring sends fewest bytes, so it is always best
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring"
