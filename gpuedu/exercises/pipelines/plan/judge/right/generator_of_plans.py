# A generator of plans, filtered and compared by key
def memory_bytes(model, plan):
    own = model["parameters"] / plan["tensor"] / plan["pipeline"]
    bytes_each = 16.0
    if plan["zero"] == 1:
        bytes_each = 4 + 12 / plan["data"]
    elif plan["zero"] == 2:
        bytes_each = 2 + 14 / plan["data"]
    elif plan["zero"] == 3:
        bytes_each = 16 / plan["data"]
    sequences = model["batch"] // (plan["data"] * plan["micro_batches"])
    kept = min(plan["micro_batches"], plan["pipeline"]) * sequences * model["length"]
    layers = model["layers"] // plan["pipeline"]
    return own * bytes_each, kept * layers * 34 * model["width"] / plan["tensor"]


def times_s(model, cluster, plan):
    t, p, d, m = (plan[name] for name in ("tensor", "pipeline", "data", "micro_batches"))
    tokens = model["batch"] // d * model["length"]
    busy = [6 * tokens * (model["parameters"] / (t * p)) / cluster["flop_per_s"], 0, 0]
    activations = 2 * tokens * model["width"]
    if t > 1:
        busy[1] = 4 * model["layers"] // p * 2 * (t - 1) / t * activations / rate(cluster, t)
    if p > 1:
        busy[2] = 2 * activations / t / rate(cluster, t * d * p)
    bubble = sum(busy) * (p - 1) / m
    sent = 0
    if d > 1:
        halves = [2, 2, m + 1, 3 * m][plan["zero"]]
        sent = halves * (d - 1) / d * 2 * model["parameters"] / (t * p) / rate(cluster, t * d)
    return [*busy, bubble, sent]


def possible_plans(model, cluster):
    for t in divisors(model["heads"]):
        for p in divisors(model["layers"]):
            for d in divisors(model["batch"]):
                if t * p * d == cluster["ranks"]:
                    for m in divisors(model["batch"] // d):
                        for zero in range(4):
                            names = ("data", "tensor", "pipeline", "micro_batches", "zero")
                            yield dict(zip(names, (d, t, p, m, zero), strict=True))


def best_plan(model, cluster):
    def fits(plan):
        return sum(memory_bytes(model, plan)) <= cluster["memory_bytes"]

    def took_s(plan):
        return sum(times_s(model, cluster, plan))

    return min(filter(fits, possible_plans(model, cluster)), key=took_s, default=None)
