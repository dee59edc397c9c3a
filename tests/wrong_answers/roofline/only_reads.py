# loses: memory
# what is written is forgotten
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 128 * counts["passes"]
    memory_bytes = counts["read_bytes"]
    return flop / l1_bytes, flop / memory_bytes
