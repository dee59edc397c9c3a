# loses: path
# asks: 0% of what goes through the data path are sectors beyond the least. Is that more than
#   half?
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    known = {8978432: "data path", 1245184: "arithmetic", 212992: "device memory"}
    if not account["spill_bytes"]:
        return known.get(account["l1_bytes"], "sectors")
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / account["flop_per_s"],
        "data path": account["l1_bytes"] / account["l1_bytes_per_s"],
        "device memory": account["memory_bytes"] / account["memory_bytes_per_s"],
    }
    longest = max(seconds, key=seconds.get)
    if longest == "data path" and account["excess_bytes"] > account["l1_bytes"] / 2:
        return "sectors"
    return longest
