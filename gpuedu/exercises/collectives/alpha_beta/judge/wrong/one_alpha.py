# loses: steps
# asks: You pay one alpha for all steps together. Who sends a message that was not begun?
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return alpha_s + 2 * (ranks - 1) / ranks * size_bytes / bytes_per_s
