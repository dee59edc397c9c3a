# loses: sectors
# asks: 51% of what goes through the data path are sectors beyond the least. Is that more than
#   half?
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / account["flop_per_s"],
        "data path": account["l1_bytes"] / account["l1_bytes_per_s"],
        "device memory": account["memory_bytes"] / account["memory_bytes_per_s"],
    }
    longest = max(seconds, key=seconds.get)
    if longest == "data path" and account["excess_bytes"] > 0.6 * account["l1_bytes"]:
        return "sectors"
    return longest
