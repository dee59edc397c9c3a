# loses: arithmetic
# asks: Nothing is spilled, and 4 warps are needed of which it has 8. Few is not too few.
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] or account["warps"] < 64:
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
