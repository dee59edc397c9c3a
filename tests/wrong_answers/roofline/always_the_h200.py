# loses: attainable
# reads the global dict
def attainable(per_l1_byte, per_memory_byte, device):
    rates = {
        "arithmetic": H200["tflop_per_s"] * 1e12,
        "L1": per_l1_byte * H200["l1_gb_per_s"] * 1e9,
        "device memory": per_memory_byte * H200["memory_gb_per_s"] * 1e9,
    }
    name = min(rates, key=rates.get)
    return rates[name], name
