# loses: chunks
# a latency and a transfer are not the maximum of the two
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * (ranks - 1) * max(alpha_s, size_bytes / ranks / bytes_per_s)
