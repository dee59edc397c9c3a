# part by part; rules by what the two placements are together
def tensor_plan():
    plan = {"attn": ("prepare",)}
    for part, first, last in (("attn", "qkv", "out"), ("mlp", ("up",), "down")):
        plan.update({f"{part}.{one}": ("colwise", {}) for one in first})
        plan[f"{part}.{last}"] = ("rowwise", {})
    return plan


def sequence_plan():
    plan = tensor_plan()
    for number, (part, last) in enumerate((("attn", "out"), ("mlp", "down")), 1):
        plan[f"norm{number}"] = "sequence"
        plan[part] = ("prepare", {"input": "Shard(0)"})
        plan[f"{part}.{last}"] = ("rowwise", {"output": "Shard(0)", "input": "Shard(1)"})
    return plan


def linear(x, weight):
    both = {x, weight}
    if "Partial()" in both:
        return "Partial()" if "Replicate()" in both else ""
    if x == weight:
        return {"Replicate()": x, "Shard(1)": "Partial()"}.get(x, "")
    if both == {"Replicate()", "Shard(0)"}:
        return "Shard(0)" if weight == "Replicate()" else "Shard(1)"
    return ""


def collective(before, after):
    if before == "Replicate()" or before == after:
        return ""
    sums, gathers = before == "Partial()", after == "Replicate()"
    return [["all_to_all", "all_gather"], ["reduce_scatter", "all_reduce"]][sums][gathers]
