# must lose: choice
def tree_schedule(ranks, size_bytes):
    return []


def crossover(ranks, alpha_s, bytes_per_s):
    return 0.0


def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    depth = (ranks - 1).bit_length()
    near = (ranks - 1 - depth) * alpha_s * bytes_per_s / (depth - 0.9)
    return "ring" if size_bytes >= near else "tree"
