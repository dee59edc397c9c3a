# by the rate that each roof allows
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    flop = account["flop"]
    rate = {
        "arithmetic": account["flop_per_s"],
        "data path": flop / account["l1_bytes"] * account["l1_bytes_per_s"],
        "device memory": flop / account["memory_bytes"] * account["memory_bytes_per_s"],
    }
    longest = min(rate, key=rate.get)
    if longest == "data path" and account["excess_bytes"] > account["l1_bytes"] / 2:
        return "sectors"
    return longest
