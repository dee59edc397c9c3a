# times and texts in arrays, and the largest of them
import numpy as np

order = dict(zip(("slowest", "second", "third", "fastest"), np.array(["D", "A", "C", "E"])))


def limit_of(account):
    if account["spill_bytes"] or account["warps_needed"] > account["warps"]:
        return np.str_("registers")
    names = np.array(["arithmetic", "data path", "device memory"])
    amounts = np.array([account["flop"], account["l1_bytes"], account["memory_bytes"]])
    rates = [account[f"{name}_per_s"] for name in ("flop", "l1_bytes", "memory_bytes")]
    longest = names[np.argmax(amounts / rates)]
    if longest == "data path" and 2 * account["excess_bytes"] > account["l1_bytes"]:
        return np.str_("sectors")
    return longest
