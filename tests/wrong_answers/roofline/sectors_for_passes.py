# loses: l1
# sectors of 32 bytes instead of passes
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 32 * counts["sectors"] + 128 * counts["wavefronts"]
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / l1_bytes, flop / memory_bytes
