# loses: choice
# a tree for many ranks, whatever the size
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "tree" if ranks > 16 else "ring"
