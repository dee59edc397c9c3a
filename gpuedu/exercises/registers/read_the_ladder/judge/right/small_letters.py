# small letters; the largest of pairs
order = dict(zip(["slowest", "second", "third", "fastest"], "dace"))


def limit_of(account):
    a = account.get
    if a("spill_bytes") or a("warps") < a("warps_needed"):
        return "registers"
    path = "sectors" if 2 * a("excess_bytes") > a("l1_bytes") else "data path"
    return max(
        (a("flop") / a("flop_per_s"), "arithmetic"),
        (a("l1_bytes") / a("l1_bytes_per_s"), path),
        (a("memory_bytes") / a("memory_bytes_per_s"), "device memory"),
    )[1]
