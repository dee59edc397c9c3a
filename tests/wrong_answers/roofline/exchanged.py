# loses: l1
# device memory first
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 128 * counts["passes"]
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / memory_bytes, flop / l1_bytes
