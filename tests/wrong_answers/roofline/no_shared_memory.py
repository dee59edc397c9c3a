# loses: l1
# sectors alone, without shared memory
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 32 * counts["sectors"]
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / l1_bytes, flop / memory_bytes
