# loses: l1
# what lanes ask for, not what passes
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    l1_bytes = counts["lane_bytes"] + 128 * counts["wavefronts"]
    memory_bytes = counts["read_bytes"] + counts["written_bytes"]
    return flop / l1_bytes, flop / memory_bytes
