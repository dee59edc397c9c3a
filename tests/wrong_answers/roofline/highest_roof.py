# loses: attainable
# max instead of min
def attainable(per_l1_byte, per_memory_byte, device):
    rates = {
        "arithmetic": device["tflop_per_s"] * 1e12,
        "L1": per_l1_byte * device["l1_gb_per_s"] * 1e9,
        "device memory": per_memory_byte * device["memory_gb_per_s"] * 1e9,
    }
    name = max(rates, key=rates.get)
    return rates[name], name
