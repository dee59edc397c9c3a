# loses: chunks
# asks: `bytes_per_s` is a rate: bytes over it are seconds.
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * (ranks - 1) * (alpha_s + size_bytes / ranks * bytes_per_s)
