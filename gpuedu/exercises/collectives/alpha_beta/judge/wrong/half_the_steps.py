# loses: steps
# asks: n - 1 steps are a reduce-scatter. What comes behind it?
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return (ranks - 1) * (alpha_s + size_bytes / ranks / bytes_per_s)
