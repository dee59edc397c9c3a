# loses: steps
# asks: 2 n steps? A chunk starts at a rank that has it: how many others does it visit?
def ring_s(ranks, size_bytes, alpha_s, bytes_per_s):
    return 2 * ranks * (alpha_s + size_bytes / ranks / bytes_per_s)
