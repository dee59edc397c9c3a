# loses: arithmetic
# asks: That takes the shortest of the three. Which one do the other two hide behind?
order = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / account["flop_per_s"],
        "data path": account["l1_bytes"] / account["l1_bytes_per_s"],
        "device memory": account["memory_bytes"] / account["memory_bytes_per_s"],
    }
    longest = min(seconds, key=seconds.get)
    if longest == "data path" and account["excess_bytes"] > account["l1_bytes"] / 2:
        return "sectors"
    return longest
