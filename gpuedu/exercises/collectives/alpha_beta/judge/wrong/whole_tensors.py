# loses: chunks
# asks: Each of your steps moves the whole tensor. What does a rank of the ring send in a step?
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * (ranks - 1) * (alpha_s + size_bytes / bytes_per_s)
