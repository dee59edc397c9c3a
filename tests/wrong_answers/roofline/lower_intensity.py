# loses: limit
# the lower intensity is taken for the lower roof
def attainable(per_l1_byte, per_memory_byte, device):
    rates = {
        "arithmetic": device["tflop_per_s"] * 1e12,
        "L1": per_l1_byte * device["l1_gb_per_s"] * 1e9,
        "device memory": per_memory_byte * device["memory_gb_per_s"] * 1e9,
    }
    name = "L1" if per_l1_byte < per_memory_byte else "device memory"
    if rates["arithmetic"] < rates[name]:
        name = "arithmetic"
    return min(rates.values()), name
