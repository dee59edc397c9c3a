# loses: memory
# every byte that a lane asks for comes from device memory
def intensities(counts):
    flop = 2 * counts["multiply_adds"] + counts["other_flop"]
    return flop / (128 * counts["passes"]), flop / counts["lane_bytes"]
