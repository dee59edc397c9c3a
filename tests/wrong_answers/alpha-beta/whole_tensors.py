# loses: chunks
# the ring that sends whole tensors
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * (ranks - 1) * (alpha_s + size_bytes / bytes_per_s)
