# loses: choice
# asks: With 4 ranks you chose "ring" for every size. Does the size not matter?
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    return "ring"
