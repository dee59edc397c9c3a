# loses: attainable
# GFLOP/s
def attainable(per_l1_byte, per_memory_byte, device):
    rates = {
        "arithmetic": device["tflop_per_s"] * 1e3,
        "L1": per_l1_byte * device["l1_gb_per_s"] * 1,
        "device memory": per_memory_byte * device["memory_gb_per_s"] * 1,
    }
    name = min(rates, key=rates.get)
    return rates[name], name
