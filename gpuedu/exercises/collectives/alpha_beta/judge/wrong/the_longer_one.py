# loses: chunks
# asks: A message first waits for its latency, and then its bytes pass: is that a maximum?
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * (ranks - 1) * max(alpha_s, size_bytes / ranks / bytes_per_s)
