# Sorted pairs instead of min over a dict, and the functions place the kernels.
def intensities(counts):
    flop = counts["multiply_adds"] * 2 + counts["other_flop"]
    l1 = 128 * counts["passes"]
    return [flop / l1, flop / sum(counts[k] for k in ("read_bytes", "written_bytes"))]


def attainable(per_l1_byte, per_memory_byte, device):
    pairs = [
        (device["tflop_per_s"] * 1e12, "arithmetic"),
        (per_l1_byte * device["l1_gb_per_s"] * 1e9, "L1"),
        (per_memory_byte * device["memory_gb_per_s"] * 1e9, "device memory"),
    ]
    return sorted(pairs)[0]


limits = {name: attainable(*intensities(counts[name]), H200)[1] for name in counts}
