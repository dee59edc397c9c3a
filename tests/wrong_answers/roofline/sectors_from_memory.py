# loses: memory
# takes every sector asked for to come from device memory
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 128 * counts["passes"]
    memory_bytes = 32 * counts["sectors"]
    return flop / l1_bytes, flop / memory_bytes
