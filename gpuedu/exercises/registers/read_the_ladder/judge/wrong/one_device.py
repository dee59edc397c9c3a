# loses: memory
# asks: Bytes divided by bytes a second: compare seconds, not bytes, with this device's rates.
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / 1.95e13,
        "data path": account["l1_bytes"] / 1.95e13,
        "device memory": account["memory_bytes"] / 2.04e12,
    }
    longest = max(seconds, key=seconds.get)
    if longest == "data path" and account["excess_bytes"] > account["l1_bytes"] / 2:
        return "sectors"
    return longest
