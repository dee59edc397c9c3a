# loses: choice
# a megabyte, for any number of ranks and any link
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring" if size_bytes >= 1_000_000 else "tree"
