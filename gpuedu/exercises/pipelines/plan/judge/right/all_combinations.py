# Every combination of numbers, with whole-number sizes, and the minimum of pairs
def memory_bytes(model, plan):
    split = plan["tensor"] * plan["pipeline"]
    kept = []
    for size, stage in zip((2, 2, 12), (3, 2, 1), strict=True):
        ways = split * plan["data"] if stage <= plan["zero"] else split
        kept.append(model["parameters"] * size / ways)
    micro_batch = model["batch"] / plan["data"] / plan["micro_batches"]
    one = micro_batch * model["length"] * 34 * model["width"] * model["layers"] / split
    many = plan["pipeline"] if plan["micro_batches"] >= plan["pipeline"] else plan["micro_batches"]
    return [sum(kept), many * one]


def one_micro_batch(model, cluster, plan):
    tokens = model["batch"] * model["length"] / plan["data"] / plan["micro_batches"]
    message = tokens * model["width"] * 2
    n, split = plan["tensor"], plan["tensor"] * plan["pipeline"]
    products = 6 * tokens * model["parameters"] / split / cluster["flop_per_s"]
    ring = (n - 1) * message / n / rate(cluster, n)
    sums = 8 * ring * model["layers"] / plan["pipeline"]
    hop = message / n / rate(cluster, cluster["ranks"])
    return products, sums, (0.0 if plan["pipeline"] == 1 else 2 * hop)


def times_s(model, cluster, plan):
    one = one_micro_batch(model, cluster, plan)
    m, n = plan["micro_batches"], plan["data"]
    idle = (plan["pipeline"] - 1) * sum(one)
    passes = {0: 2, 1: 2, 2: m + 1, 3: m * 3}
    piece = 2 * model["parameters"] / plan["tensor"] / plan["pipeline"] / n
    slow = rate(cluster, n * plan["tensor"])
    exchange = passes[plan["zero"]] * (n - 1) * piece / slow
    return *(m * part for part in one), idle, exchange


def best_plan(model, cluster):
    ranks, found = cluster["ranks"], []
    for t, d in itertools.product(divisors(ranks), divisors(ranks)):
        p = ranks // (t * d)
        if t * d * p != ranks or model["heads"] % t or model["layers"] % p:
            continue
        for m in range(1, model["batch"] // d + 1):
            if model["batch"] % (d * m):
                continue
            for zero in (3, 2, 1, 0):
                plan = dict(data=d, tensor=t, pipeline=p, micro_batches=m, zero=zero)
                if cluster["memory_bytes"] >= sum(memory_bytes(model, plan)):
                    found.append((sum(times_s(model, cluster, plan)), len(found), plan))
    return min(found)[2] if found else None
