# loses: steps
# as if each chunk came back to where it began
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * ranks * (alpha_s + size_bytes / ranks / bytes_per_s)
