# loses: registers
# asks: 4 warps are on an SM, 8 would be needed: its schedulers wait, whatever the roofs allow.
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"]:
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
