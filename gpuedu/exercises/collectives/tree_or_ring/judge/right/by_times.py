# both times are computed and compared
def choose(ranks, size_bytes, alpha_s, bytes_per_s):
    depth = (ranks - 1).bit_length()
    tree_s = 2 * depth * (alpha_s + size_bytes / bytes_per_s)
    ring_s = 2 * (ranks - 1) * (alpha_s + size_bytes / ranks / bytes_per_s)
    return "tree" if tree_s < ring_s else "ring"
