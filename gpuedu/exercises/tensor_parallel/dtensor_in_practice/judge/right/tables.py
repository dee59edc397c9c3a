# everything is spelled out, and rules are tables
def tensor_plan():
    columns, rows = ["colwise", {"input": "Replicate()"}], ["rowwise", {"input": "Shard(1)"}]
    plan = {f"attn.{one}": columns for one in "qkv"} | {"attn.out": rows}
    plan |= {"mlp.up": columns, "mlp.down": rows}
    return plan | {part: ["prepare", {"input": "Replicate()"}] for part in ("attn", "mlp")}


def sequence_plan():
    mine = "Shard(0)"
    plan = {"norm1": "sequence", "norm2": ("sequence",), "attn": ("prepare", {"input": mine})}
    plan.update(dict.fromkeys(["attn.q", "attn.k", "attn.v"], "colwise"))
    plan["mlp.up"] = ("colwise", dict(input=mine, output="Shard(1)"))
    for name in ("attn.out", "mlp.down"):
        plan[name] = ("rowwise", dict(output=mine))
    return plan


LINEAR = {
    "Replicate() Replicate()": "Replicate()",
    "Replicate() Shard(0)": "Shard(1)",
    "Shard(0) Replicate()": "Shard(0)",
    "Shard(1) Shard(1)": "Partial()",
    "Partial() Replicate()": "Partial()",
    "Replicate() Partial()": "Partial()",
}


def linear(x, weight):
    return LINEAR.get(f"{x} {weight}", "")


def collective(before, after):
    pairs = {
        ("S", "R"): "all_gather",
        ("P", "R"): "all_reduce",
        ("P", "S"): "reduce_scatter",
        ("S", "S"): "all_to_all",
    }
    return "" if before == after else pairs.get((before[0], after[0]), "")
