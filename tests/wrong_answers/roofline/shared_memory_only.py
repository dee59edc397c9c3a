# loses: l1
# the passes of shared memory alone, and one for none
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = 128 * max(counts["wavefronts"], 1)
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / l1_bytes, flop / memory_bytes
